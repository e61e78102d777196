import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import { HOUR } from "../core/time.ts"

/**
 * Warns when a client's `X-Forwarded-For` is ignored because its connection comes from no trusted proxy: behind a proxy that is not named in
 * `trusted_proxies`, all callers share one budget. Anybody can send the header, so there is at most one line an hour.
 */
export class IgnoredForwards {
  private nextAt = 0

  constructor(
    private readonly log: Log,
    private readonly machine: Pick<Machine, "monotonic">,
  ) {}

  /** No log line has a network address: that of the proxy is in the proxy's own settings. */
  note(): void {
    const now = this.machine.monotonic()
    if (now < this.nextAt) return
    this.nextAt = now + HOUR
    this.log.warn("forwarded_address_ignored", {
      why: "X-Forwarded-For came from an address that trusted_proxies does not name; if that is your proxy, name it there",
    })
  }
}
