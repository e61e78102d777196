import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import { HOUR } from "../core/time.ts"
import type { ForwardedFault } from "./client-address.ts"

/** No log line has a network address: that of the proxy is in the proxy's own settings. */
const EVENTS: Readonly<Record<ForwardedFault, { readonly event: string; readonly why: string }>> = {
  IGNORED: {
    event: "forwarded_address_ignored",
    why: "X-Forwarded-For came from an address that trusted_proxies does not name; if that is your proxy, name it there",
  },
  MISSING: {
    event: "forwarded_address_missing",
    why: "a request over the Unix socket had no client address in X-Forwarded-For; all such requests share one budget, so let the proxy send it",
  },
}

/**
 * Warns when the address of a client is not known: its `X-Forwarded-For` is ignored because its connection comes from no trusted proxy, or it
 * is missing on a Unix socket. Then all callers share one budget. Anybody can cause it, so there is at most one line of a kind an hour.
 */
export class IgnoredForwards {
  private readonly nextAt: Record<ForwardedFault, number> = { IGNORED: 0, MISSING: 0 }

  constructor(
    private readonly log: Log,
    private readonly machine: Pick<Machine, "monotonic">,
  ) {}

  note(fault: ForwardedFault): void {
    const now = this.machine.monotonic()
    if (now < this.nextAt[fault]) return
    this.nextAt[fault] = now + HOUR
    const { event, why } = EVENTS[fault]
    this.log.warn(event, { why })
  }
}
