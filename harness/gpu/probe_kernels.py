"""Kernels of the probe, as PTX, which the driver translates: they need no compiler."""

from __future__ import annotations

_HEAD = """.version 6.4
.target sm_75
.address_size 64
"""

# An empty kernel, for the cost of a launch.
EMPTY = (
    _HEAD
    + """
.visible .entry probe_empty()
.reqntid 128
{
  ret;
}
"""
)

# An empty kernel that starts early: it lets the next kernel start, and waits for the previous one.
EARLY = """.version 7.8
.target sm_90
.address_size 64

.visible .entry probe_early()
.reqntid 128
{
  griddepcontrol.launch_dependents;
  griddepcontrol.wait;
  ret;
}
"""

# A value on its way to the host: one thread stores a float.
STORE = (
    _HEAD
    + """
.visible .entry probe_store(.param .u64 source, .param .u64 to)
.reqntid 32
{
  .reg .pred %p<1>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;

  mov.u32 %r0, %tid.x;
  setp.ne.s32 %p0, %r0, 0;
  @%p0 bra $done;
  ld.param.u64 %rd0, [source];
  ld.param.u64 %rd1, [to];
  ld.global.b32 %r1, [%rd0];
  st.global.b32 [%rd1], %r1;
$done:
  ret;
}
"""
)

# `rounds` grid barriers like the persistent kernel's, with the counter starting at `counted`. A
# program that polls 2^22 times in vain, for about a second, aborts the launch.
BARRIER = (
    _HEAD
    + """
.visible .entry probe_barrier(.param .u64 counter, .param .u64 counted, .param .u32 rounds)
.reqntid 128
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;

  ld.param.u64 %rd0, [counter];
  ld.param.u64 %rd1, [counted];
  ld.param.u32 %r0, [rounds];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %nctaid.x;
  cvt.u64.u32 %rd2, %r2;
  setp.ne.s32 %p0, %r1, 0;
  mov.u32 %r3, 0;
$round:
  add.s64 %rd1, %rd1, %rd2;
  bar.sync 0;
  @%p0 bra $all;
  atom.global.gpu.release.add.u64 %rd3, [%rd0], 1;
  mov.u32 %r4, 0;
$poll:
  ld.global.gpu.acquire.b64 %rd4, [%rd0];
  setp.ge.s64 %p1, %rd4, %rd1;
  @%p1 bra $all;
  add.s32 %r4, %r4, 1;
  setp.lt.s32 %p2, %r4, 4194304;
  @%p2 bra $poll;
  trap;
$all:
  bar.sync 0;
  add.s32 %r3, %r3, 1;
  setp.lt.s32 %p3, %r3, %r0;
  @%p3 bra $round;
  ret;
}
"""
)

# Follows `steps` links of a linked list of addresses with dependent loads that bypass the L1 cache,
# and stores the last one in `to`.
CHASE = (
    _HEAD
    + """
.visible .entry probe_chase(.param .u64 first, .param .u32 steps, .param .u64 to)
.reqntid 32
{
  .reg .pred %p<1>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;

  ld.param.u64 %rd0, [first];
  ld.param.u32 %r0, [steps];
  ld.param.u64 %rd1, [to];
$next:
  ld.global.cg.b64 %rd0, [%rd0];
  sub.s32 %r0, %r0, 1;
  setp.gt.s32 %p0, %r0, 0;
  @%p0 bra $next;
  st.global.b64 [%rd1], %rd0;
  ret;
}
"""
)
