"""The adjoints of ADBench's objectives; see `scalar_adjoints` for the rules."""

from __future__ import annotations

from math import exp, lgamma, log, pi

import numpy as np
from numba import njit


@njit
def gmm(alphas, d_alphas, means, d_means, factors, d_factors, x, gamma, m):
    """Per point, the images of the centred point under all factors are stored."""
    k, d = means.shape
    sums, q = np.zeros(k), np.empty((k, d))
    for j in range(k):
        for i in range(d):
            q[j, i] = exp(factors[j, i])
            sums[j] += factors[j, i]
    terms, images, centred, pull = np.empty(k), np.empty((k, d)), np.empty(d), np.empty(d)
    total = 0.0
    d_sums, d_q = np.zeros(k), np.zeros((k, d))
    for n in range(len(x)):
        for j in range(k):
            for i in range(d):
                centred[i] = x[n, i] - means[j, i]
            square = 0.0
            at = d
            for i in range(d):
                s = q[j, i] * centred[i]
                for o in range(i):
                    s += factors[j, at + o] * centred[o]
                at += i
                images[j, i] = s
                square += s * s
            terms[j] = alphas[j] + sums[j] - 0.5 * square
        top = terms.max()
        s = 0.0
        for j in range(k):
            terms[j] = exp(terms[j] - top)
            s += terms[j]
        total += top + log(s)
        scale = 1.0 / s
        for j in range(k):
            share = terms[j] * scale
            d_alphas[j] += share
            d_sums[j] += share
            for i in range(d):
                centred[i] = x[n, i] - means[j, i]
                pull[i] = 0.0
            at = d
            for i in range(d):
                back = -share * images[j, i]
                d_q[j, i] += back * centred[i]
                pull[i] += back * q[j, i]
                for o in range(i):
                    d_factors[j, at + o] += back * centred[o]
                    pull[o] += back * factors[j, at + o]
                at += i
            for i in range(d):
                d_means[j, i] -= pull[i]
    top = alphas.max()
    powers = np.exp(alphas - top)
    s = powers.sum()
    total -= len(x) * (top + log(s))
    d_alphas -= len(x) / s * powers
    prior = 0.0
    for j in range(k):
        squares = 0.0
        for i in range(d):
            squares += q[j, i] ** 2
            d_factors[j, i] += d_sums[j] - m + q[j, i] * (d_q[j, i] + gamma * gamma * q[j, i])
        for i in range(d, factors.shape[1]):
            squares += factors[j, i] ** 2
            d_factors[j, i] += gamma * gamma * factors[j, i]
        prior += 0.5 * gamma * gamma * squares - m * sums[j]
    nu = d + m + 1
    constant = nu * d * (log(gamma) - 0.5 * log(2.0)) - 0.25 * d * (d - 1) * log(pi)
    for i in range(d):
        constant -= lgamma(0.5 * (nu - i))
    return total - 0.5 * len(x) * d * log(2.0 * pi) + prior - k * constant
