import { Value } from "@sinclair/typebox/value"
import { ContactAnswer } from "../../../schemas/contact.ts"
import { DecisionContactAnswer } from "../../../schemas/us/decision-contact.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import {
  contactBody,
  type DraftedProduct,
  type DraftReport,
  draftedProduct,
  draftReport,
  ROUNDS,
  type Round,
  walkDraft,
} from "../../agent/contact-draft.ts"
import { postJson, refused, type Send, sendOverNetwork, serverOrigin } from "../../agent/service-call.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { digestOf } from "../../core/digest.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import { publishedSchema } from "../../http/request-documents.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"

/** Exit 0: nothing is missing or invalid. 9: something is. 3: refused, or another reply than asked for. 4: no reply. */
export const command: Command = {
  name: "agent contact",
  summary:
    "say what a draft of a request lacks, in the order to gather it (0 complete, 9 not yet, 3 refused, 4 no reply)",
  operands: "DRAFT",
  flags: {
    product: { help: "product that the draft is for; needed if it fits several", value: "ID" },
    server: {
      help: "origin of a service to ask; it gets the draft. Without it nothing leaves this machine",
      value: "URL",
    },
    ...JSON_FLAG,
  },
  examples: ["agent contact ./check.json"],
  run: (input) => runContact(input, sendOverNetwork),
}

export async function runContact(input: Input, send: Send): Promise<ExitCode> {
  const draft = await readDocumentJson(input.operands[0] ?? "")
  const product = draftedProduct(draft, input.text("product"))
  const server = input.text("server")
  const report =
    server === undefined ? walkDraft(product, draft) : await reportFrom(send, serverOrigin(server), product, draft)
  input.out(input.on("json") ? `${JSON.stringify({ version: 1, ...report })}\n` : printed(report))
  return report.status === "INPUT_COMPLETE" ? EXIT.DONE : EXIT.NOT_PERMITTED
}

/** The faults that a service finds. Throws CommandError: 3 if it refuses or answers another question, 4 if it does not answer. */
async function reportFrom(send: Send, server: string, product: DraftedProduct, draft: JsonValue): Promise<DraftReport> {
  const body = contactBody(product, draft)
  const reply = await postJson(send, `${server}${product.path}/contact`, body)
  if (reply.status !== 200) throw refused("draft", reply)
  const answer: unknown = reply.body
  const schema = product.id === PAYMENT_DECISION_PRODUCT ? DecisionContactAnswer : ContactAnswer
  if (!Value.Check(schema, answer)) {
    throw new CommandError(EXIT.NOT_CHECKED, "the service answered something that is no reply of contact")
  }
  if (answer.request_digest !== digestOf(body) || answer.product !== product.id) {
    throw new CommandError(EXIT.INVALID, "the reply is to another draft")
  }
  if (answer.input_schema.digest !== digestOf(publishedSchema(product.schema))) {
    throw new CommandError(
      EXIT.NOT_CHECKED,
      "the service sells by another schema than this program knows; update one of them",
    )
  }
  return draftReport(product, {
    missing: answer.missing_input_paths,
    invalid: answer.invalid_inputs,
    omitted: answer.inputs_omitted,
    missing_one_of: answer.missing_one_of,
  })
}

function printed({ product, status, missing, missing_one_of: oneOf, invalid, omitted }: DraftReport): string {
  const rounds = (Object.keys(ROUNDS) as Round[]).flatMap((round) => {
    const lines = missing.filter((line) => line.round === round)
    return lines.length === 0
      ? []
      : ["", `gather: ${ROUNDS[round]}`, ...lines.map(({ path, expected }) => `missing ${path}: ${expected}`)]
  })
  return [
    `product ${product}`,
    status === "INPUT_COMPLETE"
      ? "status  complete: the schema accepts the request. Signatures and digests were not checked"
      : `status  ${missing.length} missing, ${invalid.length} invalid${omitted > 0 ? `, and ${omitted} more` : ""}`,
    ...(invalid.length > 0 ? ["", "correct:"] : []),
    ...invalid.map(
      ({ path, code, expected }) => `invalid ${path === "" ? "the request" : path} (${code}): ${expected}`,
    ),
    ...rounds,
    ...(oneOf.length > 0 ? ["", `one of  ${oneOf.join(", ")}`] : []),
    "",
  ]
    .map(printable)
    .join("\n")
}

/** Names of a map are text of the caller or of the service. They must not control the terminal. */
const printable = (line: string): string => line.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, "\ufffd")
