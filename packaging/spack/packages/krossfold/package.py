# SPDX-License-Identifier: BSD-3-Clause
import os

from spack.package import *

try:  # Spack 1.0 and newer; before it, spack.package has these, and compilers are no dependencies
    from spack_repo.builtin.build_systems.cmake import CMakePackage
    from spack_repo.builtin.build_systems.cuda import CudaPackage

    LANGUAGES = ("c", "cxx")
except ImportError:
    LANGUAGES = ()

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *4 * [os.pardir]))


class Krossfold(CMakePackage, CudaPackage):
    """Tunes, trains and evaluates models by cross-validation, from one core to many GPU nodes."""

    homepage = "file://" + ROOT
    git = "file://" + ROOT  # the clone that this recipe is part of

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("openmp", default=False, description="Use the OpenMP backend of Kokkos")
    variant("shared", default=False, description="Build shared libraries")
    variant("plots", default=True, description="Install what the tools that draw need")

    for language in LANGUAGES:
        depends_on(language, type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("mpi@3:")
    depends_on("hdf5@1.10:")
    depends_on("blas")
    depends_on("lapack")
    depends_on("kokkos@3.4:+serial")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("kokkos-kernels@3.4:+blas+lapack")
    depends_on("kokkos+pic", when="+shared")
    depends_on("random123@1.09:")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.10:", type="build")
    depends_on("zlib-api")
    depends_on("xz")
    depends_on("libpng@1.6:")
    depends_on("libjpeg-turbo@2:")
    depends_on("python@3.9:", when="+plots", type="run")
    depends_on("py-h5py", when="+plots", type="run")
    depends_on("py-matplotlib", when="+plots", type="run")

    for arch in ("80", "90"):
        depends_on(f"kokkos+cuda+wrapper cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
        depends_on(f"kokkos-kernels+cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    requires("^kokkos+cuda_lambda", when="+cuda ^kokkos@:4")
    depends_on("cuda@12:", when="+cuda")

    conflicts("cuda_arch=none", when="+cuda", msg="name the GPUs: cuda_arch=80 (A100) or cuda_arch=90 (H100)")
    conflicts("%gcc@:10", msg="Krossfold needs C++20")

    def cmake_args(self):
        options = [
            self.define("KROSSFOLD_BUILD_TESTS", False),
            self.define("KROSSFOLD_BUILD_BENCH", False),
            self.define("KROSSFOLD_ARCH", ""),  # Spack's compilers add the flags of the target
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
        if self.spec.satisfies("+cuda"):
            options.append(self.define("CMAKE_CXX_COMPILER", self.spec["kokkos"].kokkos_cxx))
            options.append(self.define("KROSSFOLD_REQUIRE_BACKEND", "CUDA"))
        elif self.spec.satisfies("+openmp"):
            options.append(self.define("KROSSFOLD_REQUIRE_BACKEND", "OPENMP"))
        return options
