/** Work that a store has accepted and whose caller has no outcome yet. */
import { StoreUnavailable } from "../store-error.ts"

/** How the caller gets the outcome: one of the two is called, once. */
export interface Caller {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

export class OpenWork {
  private open = 0

  constructor(private readonly most: number) {}

  get count(): number {
    return this.open
  }

  /** Begins work and resolves with its outcome. Rejects with BUSY, and begins nothing, while as much work as allowed is open. */
  add<T>(begin: (caller: Caller) => void): Promise<T> {
    if (this.open >= this.most) return Promise.reject(new StoreUnavailable("BUSY"))
    this.open++
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    begin({ resolve: resolve as (value: unknown) => void, reject })
    return promise.finally(() => this.open--)
  }
}
