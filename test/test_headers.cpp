// SPDX-License-Identifier: BSD-3-Clause
// Nothing: what is compiled with it are the headers that all tests share (CMakeLists.txt).
