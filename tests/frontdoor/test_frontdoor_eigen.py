"""Eigen, a real library of expression templates, where its headers are: products, solves and norms, fixed and dynamic.

``pip install cmeel-eigen``, or EIGEN_INCLUDE names the folder that holds `Eigen/Dense`.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from enzyme.llvm.compilers import find_clang

pytestmark = pytest.mark.rotating(3)

PROGRAM = """
#include <Eigen/Dense>
#include <cstdio>
extern int enzyme_dup, enzyme_const;
template <class R, class... A> R __enzyme_autodiff(A...);
template <class R, class... A> R __enzyme_fwddiff(A...);
using namespace Eigen;
static Matrix3d fixed(const double* x) {
  Matrix3d A;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A(i, j) = 0.3 * x[(i + 2 * j) % 7] + (i == j) * 2;
  return A;
}
static MatrixXd dynamic(const double* x, int n) {
  MatrixXd A(n, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A(i, j) = 0.3 * x[(i + 2 * j) % n] + (i == j) * 4;
  return A;
}
double f(const double* x, int n) { BODY }
static volatile int many = 7;
int main() {
  const int n = many;
  double x[7], d[7] = {0}, v[7];
  for (int i = 0; i < n; i++) x[i] = 0.3 + 0.37 * ((i * 5) % 7);
  __enzyme_autodiff<void>((void*)f, enzyme_dup, x, d, enzyme_const, n);
  double worst = 0, apart = 0;
  for (int i = 0; i < n; i++) {
    const double h = 1e-6, at = x[i];
    x[i] = at + h;
    const double above = f(x, n);
    x[i] = at - h;
    const double slope = (above - f(x, n)) / (2 * h);
    x[i] = at;
    for (int j = 0; j < n; j++) v[j] = j == i;
    const double along = __enzyme_fwddiff<double>((void*)f, enzyme_dup, x, v, enzyme_const, n);
    worst = fmax(worst, fabs(slope - d[i]) / (1 + fabs(slope)));
    apart = fmax(apart, fabs(along - d[i]) / (1 + fabs(along)));
  }
  printf(worst < 1e-6 && apart < 1e-12 ? "OK\\n" : "wrong: %g, forward %g\\n", worst, apart);
}
"""
BODIES = {
    "products of fixed size": """
        Matrix3d A = fixed(x), D = A * A.transpose();
        Vector3d b(x[0], x[1], x[2]), c = A * b;
        return c.squaredNorm() + (D * c).dot(b) + A.norm() + D.trace();""",
    "LLT of fixed size": """
        Matrix3d A = fixed(x), S = A * A.transpose() + Matrix3d::Identity();
        Vector3d b(x[0], x[1], x[2]), y = S.llt().solve(b);
        return y.dot(b) + y.norm();""",
    "LU of fixed size": """
        Matrix3d A = fixed(x);
        Vector3d b(x[0], x[1], x[2]), y = A.partialPivLu().solve(b);
        return y.dot(b) + y.norm() + A.determinant();""",
    "QR of fixed size": """
        Vector3d b(x[0], x[1], x[2]), y = fixed(x).householderQr().solve(b);
        return y.dot(b) + y.norm();""",
    "inverse": """
        Matrix2d A;
        A << x[0] + 2, x[1], x[2], x[3] + 3;
        Matrix2d I = A.inverse();
        return I.sum() + A.determinant() * I(0, 1);""",
    "inverse of four rows": """
        Matrix4d A;
        for (int i = 0; i < 16; i++) A(i / 4, i % 4) = x[i % n] + (i % 5 == 0) * 2;
        Matrix4d I = A.inverse();
        return I.trace() + I(1, 2) * A(0, 1);""",
    "LDLT of fixed size": """
        Matrix4d A;
        for (int i = 0; i < 16; i++) A(i / 4, i % 4) = x[(i / 4 + i % 4) % n] + (i % 5 == 0) * 4;
        auto L = A.ldlt();
        Vector4d b(x[0], x[1], x[2], x[3]);
        return L.vectorD().prod() + L.solve(b).squaredNorm();""",
    "products": """
        MatrixXd A = dynamic(x, n), D = A * A;
        Map<const VectorXd> b(x, n);
        VectorXd c = A * b;
        return c.squaredNorm() + (D * c).dot(b) + A.norm();""",
    "LLT": """
        MatrixXd A = dynamic(x, n), S = A * A.transpose() + MatrixXd::Identity(n, n);
        Map<const VectorXd> b(x, n);
        VectorXd y = S.llt().solve(b);
        return y.dot(b) + y.norm();""",
    "LU": """
        Map<const VectorXd> b(x, n);
        VectorXd y = dynamic(x, n).partialPivLu().solve(b);
        return y.dot(b) + y.norm();""",
    "QR": """
        Map<const VectorXd> b(x, n);
        VectorXd y = dynamic(x, n).householderQr().solve(b);
        return y.dot(b) + y.norm();""",
    "arrays and norms": """
        Map<const VectorXd> v(x, n);
        ArrayXd a = v.array().square() + v.array().sin();
        return a.sum() + v.lpNorm<1>() + v.stableNorm() + (v.segment(1, 3) * 2).dot(v.head(3));""",
    "rows and columns": """
        Map<const Matrix<double, 2, 3, RowMajor>> A(x);
        return A.norm() + A.rowwise().sum().norm() + A.colwise().squaredNorm().maxCoeff() + A.cwiseAbs().sum()
               + (A * A.transpose()).trace();""",
}

# What clang compiles for where nothing else is said, and where Eigen aligns memory by hand.
PROCESSORS = ("x86_64", "x86_64_v3")


def include() -> Path | None:
    """Where the headers are."""
    given = os.environ.get("EIGEN_INCLUDE")
    if given is not None:
        return Path(given)
    found = importlib.util.find_spec("cmeel")
    for place in found.submodule_search_locations or () if found is not None else ():
        folder = Path(place).parent / "cmeel.prefix" / "include" / "eigen3"
        if folder.is_dir():
            return folder
    return None


needs_eigen = pytest.mark.skipif(
    find_clang("c++") is None or include() is None, reason="there is no clang, or no Eigen"
)


@needs_eigen
@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("name", BODIES)
def test_eigen(name, processor, tmp_path):
    options = ["-std=c++17", "-O2", f"-march={processor}", "-w", "-I", str(include())]
    source = tmp_path / "program.cpp"
    source.write_text(PROGRAM.replace("BODY", BODIES[name]))
    call = [sys.executable, "-m", "enzyme", "clang++", *options, str(source), "-o", "program"]
    made = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "OK"
