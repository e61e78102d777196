/** `eth_getLogs`: blocks by range or by hash, addresses, and topics with alternatives. */
import type { Address, Hex } from "viem"
import type { Block, Log } from "./block.ts"
import { INVALID_PARAMS, NodeError } from "./node-error.ts"
import { rpcLog } from "./rpc-form.ts"

/** One position: null matches anything, a list matches any of its members. */
type TopicFilter = Hex | readonly Hex[] | null

interface LogFilter {
  readonly address?: Address | readonly Address[] | undefined
  readonly topics?: readonly TopicFilter[] | undefined
}

/** Throws NodeError when `value` is not a filter object. */
export function readLogFilter(value: unknown): LogFilter & Record<string, unknown> {
  if (typeof value !== "object" || value === null)
    throw new NodeError(INVALID_PARAMS, "missing value for required argument 0")
  const filter = value as LogFilter & Record<string, unknown>
  if ((filter.topics?.length ?? 0) > 4) throw new NodeError(INVALID_PARAMS, "exceed max topics")
  return filter
}

export function logsOf(blocks: readonly Block[], filter: LogFilter, token: Address) {
  const addresses = filter.address === undefined ? null : [filter.address].flat().map(lower)
  const wanted = (filter.topics ?? []).map((topic) => (topic === null ? null : [topic].flat().map(lower)))
  return blocks.flatMap(({ receipts }) =>
    receipts.flatMap((receipt) =>
      receipt.logs
        .filter((log) => (addresses?.includes(log.address ?? token) ?? true) && hasTopics(log, wanted))
        .map((log) => rpcLog(log, receipt, token)),
    ),
  )
}

const lower = (topic: Hex) => topic.toLowerCase()

function hasTopics({ topics }: Log, wanted: readonly (readonly string[] | null)[]): boolean {
  return wanted.every((any, position) => {
    const topic = topics[position]
    // An empty list of alternatives matches anything, but a position past the event's last topic matches no event.
    return topic !== undefined && (any === null || any.length === 0 || any.includes(topic))
  })
}
