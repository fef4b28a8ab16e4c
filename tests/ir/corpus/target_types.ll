define target("spirv.Image", void, 1, 0) @f(target("spirv.Image", void, 1, 0) %x, target("aarch64.svcount") %y) {
  %a = alloca target("aarch64.svcount")
  store target("aarch64.svcount") zeroinitializer, ptr %a
  ret target("spirv.Image", void, 1, 0) poison
}
