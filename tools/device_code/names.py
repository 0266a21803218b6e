# SPDX-License-Identifier: BSD-3-Clause
"""Names of C++ functions and of Kokkos kernels, short enough for a line."""

import re
import subprocess

OPENING, CLOSING = "<({[", ">)}]"
NAMESPACES = re.compile(r"\b(?:krossfold|Kokkos(?:::Impl|::Experimental)?)::")
LAMBDA = re.compile(r"::\{lambda\(.*\)#(\d+)\}")
INTERNAL = re.compile(r"\(anonymous namespace\)::|\b_(?:GLOBAL__N_)?_?INTERNAL_\w+::|\b_GLOBAL__N__\w+::")
LAUNCH = re.compile(r"\bcuda_parallel_launch_(constant|local|global)_memory<|CudaParallelLaunchKernelInvoker<")
LAMBDA_OR_WRAPPER = re.compile(r"\{lambda\(|__nv_hdl_wrapper_t<")
WRAPPER = "__nv_hdl_wrapper_t<"


def demangle(names):
    """{name: what c++filt makes of it} for mangled names."""
    names = sorted(set(names))
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, done.stdout.split("\n")))


def matching(text, start):
    """The position behind the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        if text[i] in OPENING:
            depth += 1
        elif text[i] in CLOSING and text[i - 1] != "-":
            depth -= 1
            if depth == 0:
                return i + 1
    return len(text)


def arguments(text):
    """The parts of text between commas that lie in no bracket."""
    parts, depth, begin = [], 0, 0
    for i, sign in enumerate(text):
        if sign in OPENING:
            depth += 1
        elif sign in CLOSING and text[i - 1] != "-":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[begin:i].strip())
            begin = i + 1
    return [*parts, text[begin:].strip()]


def outline(function):
    """A demangled function without its result, its parameters, Views among its template arguments, and the namespaces of all."""
    function = INTERNAL.sub("", function)
    text = function.replace(") const::", ")::").replace("operator()", "operator_call")
    begin = end = i = 0
    while i < len(text):
        if text[i] in "<{[":
            behind = matching(text, i)
            if text[i] == "<" and "View<" in text[i + 1 : behind]:
                text = text[:i] + text[behind:]
            else:
                i = behind
        elif text[i] == "(":
            behind = matching(text, i)
            if not text.startswith("::", behind):
                break
            text = text[:i] + text[behind:]  # f(int)::{lambda()#1}: parameters of the function around it
        elif text[i] == " ":
            begin = i = i + 1
        else:
            i += 1
        end = i
    text = LAMBDA.sub(r" lambda \1", text[begin:end])
    return NAMESPACES.sub("", text).replace("operator_call", "operator()").replace(" >", ">")


def functor_of(kernel):
    """The functor that a demangled kernel of Kokkos runs; None if it is no kernel of Kokkos."""
    found = LAUNCH.search(kernel)
    if not found:
        return None
    driver = kernel[found.end() : matching(kernel, found.end() - 1) - 1]
    functor = arguments(driver[driver.index("<") + 1 : driver.rindex(">")])[0]
    if functor.startswith("Kokkos::Impl::CombinedFunctorReducer<"):
        functor = arguments(functor[functor.index("<") + 1 : functor.rindex(">")])[0]
    return functor


def wrappers_in(text):
    """Every type by which nvcc wraps a lambda for host and device, in a demangled name."""
    at = text.find(WRAPPER)
    while at >= 0:
        yield text[at : matching(text, at + len(WRAPPER) - 1)]
        at = text.find(WRAPPER, at + 1)


def wrapped_lambda(text):
    """Of the first wrapper in a demangled name, which lambda of which function it is; None if there is no wrapper."""
    wrapper = next(wrappers_in(text), None)
    if wrapper is None:
        return None
    tag = next(part for part in arguments(wrapper[len(WRAPPER) : -1]) if part.startswith("__nv_dl_tag<"))
    _, function, number = arguments(tag[len("__nv_dl_tag<") : -1])
    return f"{outline(function.removeprefix('&').removeprefix('(').removesuffix(')'))} lambda {number.removesuffix('u')}"


def kernel_name(kernel):
    """What a demangled kernel runs, short: `svm::smo<Cuda> lambda 1`, or the functor's type; and whether it is this project's."""
    functor = functor_of(kernel)
    if functor is None:
        return outline(kernel), "krossfold::" in kernel
    ours = "krossfold::" in functor and not functor.startswith("Kokkos::")
    around = re.match(r"krossfold::\w+::(\w+)<", functor)
    if around and matching(functor, around.end() - 1) == len(functor) and LAMBDA_OR_WRAPPER.search(functor):
        inner = arguments(functor[around.end() : -1])[0]  # BlockSum<a lambda>: a sum over blocks
        return f"{wrapped_lambda(inner) or outline(inner)} in {around.group(1)}", ours
    return wrapped_lambda(functor) or outline(functor), ours
