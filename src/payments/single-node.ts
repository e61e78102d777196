/** Sales for real money may rely on one host only if a named person has accepted that. */
import type { Reason } from "../base/readiness.ts"
import { isOneHost } from "./environment.ts"
import type { PaymentSettings } from "./payment-settings.ts"

interface NodeSettings extends Pick<PaymentSettings, "mode" | "secondRpcUrl" | "singleNodeAcceptedBy"> {
  readonly rpcUrl: string | null
}

/** Live payments without a second node, or with two nodes on one host. */
export function isSingleNode({ mode, rpcUrl, secondRpcUrl }: Omit<NodeSettings, "singleNodeAcceptedBy">): boolean {
  return mode === "live" && (rpcUrl === null || secondRpcUrl === null || isOneHost(rpcUrl, secondRpcUrl))
}

export function singleNodeReasons(settings: NodeSettings): readonly Reason[] {
  return isSingleNode(settings) && settings.singleNodeAcceptedBy === null ? [SINGLE_NODE] : []
}

const SINGLE_NODE: Reason = {
  code: "SINGLE_NODE",
  detail: "One node is not enough for live payments: the operator must configure a second, independent one.",
}
