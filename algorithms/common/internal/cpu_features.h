// Which of the levels that Highway compiles kernels for this machine can run.
//
// Highway's own library detects them too, but is not linked: it measures the clock when it is
// loaded, 4 to 6 ms of every process, and only its headers are used. The compiler's tables
// are filled from cpuid and the state that the system saves. The sets are those of the
// attributes with which Highway compiles a level (hwy/ops/set_macros-inl.h).
#pragma once

namespace plexus::common_internal {

#if defined(__x86_64__) || defined(__i386__)
inline bool CpuHasAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("aes") &&
         __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.2");
}
inline bool CpuHasAvx3() {
  return CpuHasAvx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw");
}
inline bool CpuHasAvx3Dl() {
  return CpuHasAvx3() && __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("vaes") &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bitalg") &&
         __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("gfni");
}
#else
inline bool CpuHasAvx2() { return false; }
inline bool CpuHasAvx3() { return false; }
inline bool CpuHasAvx3Dl() { return false; }
#endif

}  // namespace plexus::common_internal
