import { TypeCompiler } from "@sinclair/typebox/compiler"
import { VerifyAgentSignature } from "../../schemas/agent-id/signature.ts"
import { AgentSignatureVerification } from "../../schemas/agent-id/signature-outcomes.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { digestOf } from "../core/digest.ts"
import { postJson, refused, type Send } from "./service-call.ts"

const checkRequest = TypeCompiler.Compile(VerifyAgentSignature)
const checkAnswer = TypeCompiler.Compile(AgentSignatureVerification)

/**
 * Sends the verification to a service. Throws CommandError: 4 if the file or the answer cannot be read, 3 if the service refused or
 * answered about something else.
 */
export async function askVerification(
  document: unknown,
  server: string,
  send: Send,
): Promise<AgentSignatureVerification> {
  if (!checkRequest.Check(document)) {
    throw new CommandError(EXIT.NOT_CHECKED, "the file is not a verification request that this version knows")
  }
  const reply = await postJson(send, `${server}/v1/agent-signatures/verify`, document)
  if (reply.status !== 200) throw refused("verification", reply)
  const { body } = reply
  if (!checkAnswer.Check(body))
    throw new CommandError(EXIT.NOT_CHECKED, "the service's response has a form that this version does not know")
  const digest = "statement" in document ? digestOf(document.statement) : null
  const payloadDigest = "statement" in document ? document.statement.payload_digest : digestOf(document.payload)
  if (body.statement_digest !== digest || body.payload_digest !== payloadDigest) {
    throw new CommandError(
      EXIT.INVALID,
      "the service's response is about another statement or payload than the request",
    )
  }
  return body
}
