import { createLog } from "../../base/log.ts"
import { SECOND } from "../../core/time.ts"
import { loadPayments } from "../../payments/load-payments.ts"
import { SERVED_NETWORK } from "../../payments/networks/networks.ts"
import type { Payments } from "../../payments/payments.ts"
import { paymentReadiness } from "../../payments/readiness.ts"
import { relayerFunds } from "../../payments/relayer-funds.ts"
import { type EvmNode, RpcUnavailable } from "../../payments/rpc.ts"
import { checkSettings } from "../../server/config-rules.ts"
import type { Inspected } from "./inspected.ts"
import { about, type Line } from "./line.ts"

const ANSWER_MS_MAX = 8 * SECOND
/** A node whose newest block is older than this is behind. */
const LAG_SECONDS_MAX = 60
/** Blocks that the safe blocks of two nodes may differ by. */
const SAFE_DIFFERENCE_MAX = 100n
/** Fewer settlements than this are left: time to send ether. */
const PAYMENTS_LEFT_MIN = 100n
const ANY_PRICE = 2n ** 128n

const off = about("network", "payments", "without payments nothing is sold")

/** Asks nodes, relayer and facilitator. All in parallel, each for at most a few seconds. */
export async function networkLines(
  found: Inspected,
  { isOffline }: { readonly isOffline: boolean },
): Promise<readonly Line[]> {
  const { config, environment, machine } = found
  if (config.payments === "off") return [off.note("payments = off", "set payments, when you want to sell")]
  if (isOffline) return [off.notChecked("nodes, relayer and facilitator are not asked", "run it without --offline")]
  const { parts } = checkSettings(config, environment, SERVED_NETWORK)
  if (!parts?.payments) return [off.notChecked("the settings are wrong", "correct them first")]
  const payments = await loadPayments(parts.payments, machine)
  const { chain } = payments
  const nodes: readonly EvmNode[] = chain.second ? [chain.primary, chain.second] : [chain.primary]
  return (
    await Promise.all([
      readinessLines(payments, found),
      ...nodes.map((node) => inTime(`${node.name} node's lag`, lagLine(node, machine.now()))),
      ...(chain.second ? [inTime("agreement", agreementLine(nodes))] : [Promise.resolve(singleNode(found))]),
      ...(payments.settler.kind === "self"
        ? [inTime("relayer", relayerLine(payments, payments.settler.relayer.address))]
        : []),
    ])
  ).flat()
}

async function inTime(name: string, line: Promise<Line>): Promise<Line> {
  const slow = about("network", name, "a node that does not answer stops sales").problem(
    `no answer within ${ANSWER_MS_MAX / SECOND} s`,
    "look at the node, at rpc_url and rpc_url_second, and at the network",
  )
  return Promise.race([line, Bun.sleep(ANSWER_MS_MAX).then(() => slow)])
}

/** The checks of a running service: chain, token, clock, gas, facilitator. */
async function readinessLines(payments: Payments, { machine }: Inspected): Promise<readonly Line[]> {
  const log = createLog("error", () => {}, machine.now)
  const { checks } = paymentReadiness(payments, { machine, log, prices: [ANY_PRICE] })
  return Promise.all(
    checks.map(({ name, reasons: reasonsOf }) => {
      const line = about("network", name, "while it fails the service sells nothing")
      const answered = (async () => {
        const reasons = await reasonsOf()
        return reasons.length === 0
          ? line.ok("answers as configured")
          : line.problem(
              reasons.map(({ code, detail }) => `${code}: ${detail}`).join(" "),
              `docs/operate.md, "What each 503 means": ${reasons.map(({ code }) => code).join(", ")}`,
            )
      })()
      return inTime(name, answered)
    }),
  )
}

async function lagLine(node: EvmNode, now: number): Promise<Line> {
  const line = about("network", `${node.name} lag`, "a node that is behind sees payments late")
  return orUnreachable(line, async () => {
    const head = await node.block("latest")
    const seconds = Math.floor(now / SECOND) - head.timestamp
    const what = `newest block ${head.number}, ${seconds} s old`
    return seconds > LAG_SECONDS_MAX
      ? line.problem(what, "look whether the node still synchronizes, or use another one")
      : line.ok(what)
  })
}

async function agreementLine(nodes: readonly EvmNode[]): Promise<Line> {
  const line = about("network", "agreement", "an attempt ends only when both nodes say the same")
  return orUnreachable(line, async () => {
    const [first, second] = await Promise.all(nodes.map((node) => node.block("safe")))
    if (!first || !second) throw new Error("agreement needs two nodes")
    const lower = first.number < second.number ? first.number : second.number
    const [one, other] = await Promise.all(nodes.map((node) => node.block(lower)))
    const apart = first.number > second.number ? first.number - second.number : second.number - first.number
    if (one?.hash !== other?.hash)
      return line.problem(`block ${lower} differs`, "one of the nodes is on another chain or wrong: replace it")
    const what = `the same block ${lower}; safe blocks ${apart} apart`
    return apart > SAFE_DIFFERENCE_MAX ? line.note(what, "one node is behind: look at it") : line.ok(what)
  })
}

function singleNode({ config }: Inspected): Line {
  const line = about("network", "agreement", "one node alone can be wrong, and nothing would notice it")
  const by = config.single_node_accepted_by
  return line.note(
    `one node${by === null ? "" : `, accepted by ${by}`}`,
    "set rpc_url_second to a node of another host",
  )
}

async function relayerLine(payments: Payments, address: `0x${string}`): Promise<Line> {
  const line = about("network", "relayer balance", "without ether the relayer settles nothing")
  return orUnreachable(line, async () => {
    const { balanceWei, paymentsLeft } = await relayerFunds(payments, address)
    const mend = `send ether to ${address}`
    if (paymentsLeft === 0n) return line.problem(`${address} has ${balanceWei} wei: not enough for one payment`, mend)
    const what = `${address} has ${balanceWei} wei: at least ${paymentsLeft} payments at the present gas price`
    return paymentsLeft < PAYMENTS_LEFT_MIN ? line.note(what, mend) : line.ok(what)
  })
}

async function orUnreachable(line: ReturnType<typeof about>, ask: () => Promise<Line>): Promise<Line> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error
    return line.problem(error.message, "look at the node, at rpc_url and rpc_url_second, and at the network")
  }
}
