/**
 * The baseline of every ratio of the benchmark: the minimum work of a Bun server for a request. A POST shows the minimum cost of a request
 * with a body on this runtime: the body is read and parsed, with as many native Ed25519 verifications as it carries: one in an agent's
 * statement, two in a decision request, none if the payer needs no other identity. Runs until it is killed.
 */
import { generateKeyPairSync, sign, verify } from "node:crypto"
import { verifyAgentSignature } from "../../schemas/agent-id/signature-operations.ts"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const message = Buffer.alloc(3000, "m")
const signature = sign(null, message, privateKey)

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  fetch: (request) => {
    if (request.method !== "POST") return new Response("hello")
    if (request.url.endsWith(verifyAgentSignature.path)) return verified(request, 1)
    return verified(request, request.url.endsWith(PAYMENT_DECISION_PATH) ? 2 : 0)
  },
})
console.log(`listening http://127.0.0.1:${server.port}`)

async function verified(request: Request, times: number): Promise<Response> {
  await request.json()
  let valid = true
  for (let n = 0; n < times; n++) valid &&= verify(null, message, publicKey, signature)
  return new Response("hello", { status: valid ? 200 : 500 })
}
