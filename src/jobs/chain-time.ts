/** Time left of a job. The chain's clock decides about a deadline; the later of the clocks counts, so that no clock gives a job more time. */
import { SECOND } from "../core/time.ts"
import type { Block } from "../payments/rpc.ts"
import type { AcpDeps } from "./deps.ts"

/** The newest head of the nodes. Throws RpcUnavailable when one does not answer. */
export async function newestHead({ chain }: Pick<AcpDeps, "chain">): Promise<Block> {
  const heads = await onEachNode(chain, (node) => node.block("latest"))
  return heads.reduce((newest, head) => (head.timestamp > newest.timestamp ? head : newest))
}

/** Seconds until the job ends; negative after it. */
export function secondsLeft(
  { machine }: Pick<AcpDeps, "machine">,
  { expiredAt }: { readonly expiredAt: number },
  head: Pick<Block, "timestamp">,
): number {
  return expiredAt - Math.max(head.timestamp, Math.floor(machine.now() / SECOND))
}

/** Asks every node the same. Throws the first failure. */
export async function onEachNode<T>(
  { primary, second }: AcpDeps["chain"],
  ask: (node: AcpDeps["chain"]["primary"]) => Promise<T>,
): Promise<[T, ...T[]]> {
  const answers = await Promise.allSettled([primary, ...(second ? [second] : [])].map(ask))
  return answers.map((answer) => {
    if (answer.status === "rejected") throw answer.reason
    return answer.value
  }) as [T, ...T[]]
}
