// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/launch_graph.hpp"

#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold {

#ifdef KOKKOS_ENABLE_CUDA

template <class Exec>
struct LaunchGraph<Exec>::Graph {
  cudaGraphExec_t exec = nullptr;
  cudaStream_t stream = nullptr;

  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (exec == nullptr) return;
    cudaStreamSynchronize(stream);  // a graph must not end while it runs
    cudaGraphExecDestroy(exec);
  }
};

namespace {

/// Whether each launch would read memory of the host, which may have changed by then.
bool copies_from_host(cudaGraph_t graph) {
  std::size_t count = 0;
  if (cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess) return true;
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0 && cudaGraphGetNodes(graph, nodes.data(), &count) != cudaSuccess) return true;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    if (cudaGraphNodeGetType(node, &type) != cudaSuccess) return true;
    if (type == cudaGraphNodeTypeHost) return true;
    if (type != cudaGraphNodeTypeMemcpy) continue;
    cudaMemcpy3DParms copy{};
    cudaPointerAttributes source{};
    if (cudaGraphMemcpyNodeGetParams(node, &copy) != cudaSuccess ||
        cudaPointerGetAttributes(&source, copy.srcPtr.ptr) != cudaSuccess || source.type != cudaMemoryTypeDevice) {
      return true;
    }
  }
  return false;
}

/// What `launches` starts in the stream, as a graph; nullptr if it cannot be recorded.
cudaGraphExec_t record(cudaStream_t stream, const std::function<void()>& launches) {
  // Relaxed: other streams of this process may allocate meanwhile.
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  bool complete = true;
  try {
    launches();
  } catch (const std::exception&) {  // Kokkos throws what CUDA refuses during a recording
    complete = false;
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  complete = cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph != nullptr && complete;
  complete = complete && !copies_from_host(graph);
  if (complete && cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess) exec = nullptr;
  if (graph != nullptr) cudaGraphDestroy(graph);
  if (exec == nullptr) cudaGetLastError();
  return exec;
}

}  // namespace

template <class Exec>
LaunchGraph<Exec>::LaunchGraph(const Exec& exec, std::function<void()> launches)
    : exec_(exec), launches_(std::move(launches)) {
  if constexpr (has_graphs<Exec>) {
    const auto graph = std::make_shared<Graph>();
    graph->stream = exec.cuda_stream();
    graph->exec = record(graph->stream, launches_);
    if (graph->exec != nullptr) graph_ = graph;
  }
}

template <class Exec>
void LaunchGraph<Exec>::launch() {
  if (!graph_) return launches_();
  const cudaError_t error = cudaGraphLaunch(graph_->exec, graph_->stream);
  if (error != cudaSuccess) {
    throw_run_error("the device refused to launch a graph of kernels", cudaGetErrorString(error));
  }
}

#else

template <class Exec>
struct LaunchGraph<Exec>::Graph {};

template <class Exec>
LaunchGraph<Exec>::LaunchGraph(const Exec& exec, std::function<void()> launches)
    : exec_(exec), launches_(std::move(launches)) {}

template <class Exec>
void LaunchGraph<Exec>::launch() {
  launches_();
}

#endif

#define KROSSFOLD_INSTANTIATE(Exec) template class LaunchGraph<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold
