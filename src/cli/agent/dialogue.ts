import { TypeCompiler } from "@sinclair/typebox/compiler"
import {
  AgentDialogueResponse,
  QUESTIONS,
  SignedAgentDialogue,
  type Topic,
} from "../../../schemas/agent-mode/dialogue.ts"
import { holdDialogue } from "../../../schemas/agent-mode/sales-operations.ts"
import { BASE_NETWORK } from "../../../schemas/network.ts"
import { type Send, sendOverNetwork } from "../../agent/service-call.ts"
import { sendMessage } from "../../agent/sign-message.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type Machine, realMachine } from "../../base/machine.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { digestOf } from "../../core/digest.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { writeNewFile } from "../documents/write-output.ts"
import { messageSigner, SIGNER_FLAGS } from "./message-signer.ts"
import { ISSUER_FLAG, requireSignedByService } from "./signed-by-service.ts"

const TOPICS = Object.keys(QUESTIONS) as Topic[]

export const command: Command = {
  name: "agent dialogue",
  summary:
    "one signed turn of a sales dialogue in codes; the answer may carry offers, which reserve and charge nothing",
  operands: "",
  flags: {
    ...SIGNER_FLAGS,
    topic: { help: `one of ${TOPICS.join(", ")}`, value: "TOPIC", required: true },
    ask: { help: "comma-separated questions of the topic (default all of them)", value: "CODES", repeats: true },
    product: { help: "comma-separated products (default all)", value: "IDS", repeats: true },
    channel: { help: "the channel you came through (default http-api)", value: "ID" },
    "max-atomic": { help: "your limit for a price in USDC's smallest units", value: "AMOUNT" },
    acknowledge: { help: "comma-separated ids of offers that you have received", value: "IDS", repeats: true },
    previous: { help: "the last answer of the dialogue that this turn continues", value: "ANSWER" },
    out: { help: "new file for the answer, byte for byte", value: "ANSWER" },
    ...ISSUER_FLAG,
    ...JSON_FLAG,
  },
  examples: [
    "agent dialogue --keys ./agent.json --server http://127.0.0.1:8402 --topic PRICE --product us.company.check.v1",
  ],
  run: (input) => runDialogue(input, sendOverNetwork, realMachine),
}

const checkAnswer = TypeCompiler.Compile(AgentDialogueResponse)

export async function runDialogue(input: Input, send: Send, machine: Machine): Promise<ExitCode> {
  const signer = messageSigner(input, machine)
  const topic = TOPICS.find((known) => known === input.need("topic"))
  if (!topic) throw new CommandError(EXIT.USAGE, `--topic is one of ${TOPICS.join(", ")}`)
  const codes = input.texts("ask").length === 0 ? Object.keys(QUESTIONS[topic]) : input.list("ask")
  const max = input.text("max-atomic")
  const members = {
    ...(await placeOf(input, machine)),
    channel: input.text("channel") ?? "http-api",
    topic,
    product_ids: input.list("product"),
    questions: codes.map((question_code) => ({ question_code, product_id: null })),
    constraints: max === undefined ? null : { max_amount_atomic: max, asset: "USDC", network: BASE_NETWORK },
    acknowledged_offers: input.list("acknowledge"),
  }
  const reply = await sendMessage<AgentDialogueResponse>(
    signer,
    { schema: SignedAgentDialogue, scope: "SALES_DIALOGUE", members },
    { row: holdDialogue, status: 200, step: "dialogue", send },
  )
  const { body: answer } = reply
  const { in_reply_to, audience, dialogue_id, turn, offers } = answer.payload
  const isOwn =
    in_reply_to === reply.digest &&
    dialogue_id === members.dialogue_id &&
    turn === members.turn &&
    [audience, ...offers.map(({ payload }) => payload.audience)].every((name) => name === signer.agentId)
  if (!isOwn) throw new CommandError(EXIT.INVALID, "the service answered something other than this turn")
  await requireSignedByService({ input, server: signer.server, send, machine }, [answer, ...offers])
  const out = input.text("out")
  if (out !== undefined) writeNewFile(out, reply.bytes)
  const { payload } = answer
  const lines = payload.answers.map(({ question_code, product_id, answer_code, facts }) =>
    [question_code, product_id ?? "-", answer_code, ...facts.map(({ name, value }) => `${name}=${value}`)].join("  "),
  )
  const unsupported = payload.unsupported.map(({ question_code, product_id, reason_code }) =>
    ["unsupported", question_code ?? "-", product_id ?? "-", reason_code].join("  "),
  )
  input.out(
    input.on("json")
      ? `${JSON.stringify({ version: 1, answer })}\n`
      : `dialogue  ${payload.dialogue_id}  turn ${payload.turn}\n${[...lines, ...unsupported].map((line) => `${line}\n`).join("")}`,
  )
  return EXIT.DONE
}

/** Which turn of which dialogue. Throws CommandError (4) if the previous answer is not one. */
async function placeOf(input: Input, machine: Machine) {
  const path = input.text("previous")
  if (path === undefined) {
    const id = `d${encodeBase64url(machine.random(16)).replaceAll(/[-_]/g, ".")}`
    return { dialogue_id: id, turn: 0, in_reply_to: null }
  }
  const previous = await readDocumentJson(path)
  if (!checkAnswer.Check(previous) || previous.digest !== digestOf(previous.payload))
    throw new CommandError(EXIT.NOT_CHECKED, `${path} is not an answer of a dialogue`)
  const { payload, digest } = previous
  return { dialogue_id: payload.dialogue_id, turn: payload.turn + 1, in_reply_to: digest }
}
