/** In place of the thread that makes checkpoints. */
export {}

declare const self: Worker

self.onmessage = () => {
  // Each thread says something else: a worker logs the same error once.
  throw new Error(`no checkpoint today (${crypto.randomUUID()})`)
}
