interface TaskOptions {
  readonly msMax: number
  /** Ends the wait. The caller ends the thread. */
  readonly signal?: AbortSignal | undefined
}

/** Gives a thread one task and waits for its one result. Rejects with the reason if the thread throws, dies, is stopped or takes too long. */
export async function runTask<Result>(worker: Worker, task: unknown, { msMax, signal }: TaskOptions): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const timer = setTimeout(() => reject(new Error(`no result within ${msMax / 1000} seconds`)), msMax)
  const onAbort = () => reject(new Error("the thread was stopped"))
  const onClose = () => reject(new Error("the thread ended without a result"))
  signal?.addEventListener("abort", onAbort)
  worker.addEventListener("close", onClose)
  worker.onmessage = ({ data }: MessageEvent<Result>) => resolve(data)
  worker.onmessageerror = () => reject(new Error("what the thread sent could not be read"))
  worker.onerror = ({ message }) => reject(new Error(`the thread failed: ${message}`))
  try {
    worker.postMessage(task)
    return await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", onAbort)
    worker.removeEventListener("close", onClose)
  }
}
