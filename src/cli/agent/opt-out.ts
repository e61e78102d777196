import { type AgentSalesOptOutResult, SignedAgentSalesOptOut } from "../../../schemas/agent-mode/opt-out.ts"
import { optOutOfSales } from "../../../schemas/agent-mode/sales-operations.ts"
import { type Send, sendOverNetwork } from "../../agent/service-call.ts"
import { sendMessage } from "../../agent/sign-message.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { messageSigner, SIGNER_FLAGS } from "./message-signer.ts"
import { ISSUER_FLAG, requireSignedByService } from "./signed-by-service.ts"

export const command: Command = {
  name: "agent opt-out",
  summary:
    "leave a service's sales, one product or one channel, effective when it responds; --undo comes back (4: no receipt)",
  operands: "",
  flags: {
    ...SIGNER_FLAGS,
    product: { help: "leave only this product", value: "ID" },
    channel: { help: "leave only this channel", value: "ID" },
    undo: { help: "opt in again" },
    ...ISSUER_FLAG,
    ...JSON_FLAG,
  },
  examples: [
    "agent opt-out --keys ./agent.json --server http://127.0.0.1:8402 --product us.company.check.v1",
    "agent opt-out --keys ./agent.json --server http://127.0.0.1:8402 --product us.company.check.v1 --undo",
  ],
  run: (input) => runOptOut(input, sendOverNetwork, realMachine),
}

export async function runOptOut(input: Input, send: Send, machine: Machine): Promise<ExitCode> {
  const [product, channel] = [input.text("product"), input.text("channel")]
  if (product !== undefined && channel !== undefined) {
    throw new CommandError(EXIT.USAGE, "--product or --channel, not both; without either everything is left")
  }
  const scope = product !== undefined ? "PRODUCT" : channel !== undefined ? "CHANNEL" : "ALL"
  const members = {
    scope,
    product_id: product ?? null,
    channel: channel ?? null,
    action: input.on("undo") ? "OPT_IN" : "OPT_OUT",
  }
  const signer = messageSigner(input, machine)
  const { body, digest } = await sendMessage<AgentSalesOptOutResult>(
    signer,
    { schema: SignedAgentSalesOptOut, scope: "SALES_OPT_OUT", members },
    { row: optOutOfSales, status: 200, step: "opt-out", send },
  )
  const status = input.on("undo") ? "OPTED_IN" : "OPTED_OUT"
  const { receipt } = body
  const isOwn = ({ payload }: NonNullable<typeof receipt>) =>
    payload.request_digest === digest && payload.audience === signer.agentId && payload.status === status
  if (body.status !== status || (receipt && !isOwn(receipt))) {
    throw new CommandError(EXIT.INVALID, "the answer or its receipt is of another message")
  }
  if (receipt) await requireSignedByService({ input, server: signer.server, send, machine }, [receipt])
  const unproven = receipt ? "" : "  without a receipt: the service says so, and nothing proves it"
  input.out(
    input.on("json")
      ? `${JSON.stringify({ version: 1, answer: body })}\n`
      : `${status}  ${product ?? channel ?? "ALL"}${unproven}\n`,
  )
  return receipt ? EXIT.DONE : EXIT.NOT_CHECKED
}
