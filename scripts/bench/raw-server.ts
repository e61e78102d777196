/**
 * The baseline of every ratio of the benchmark: the minimum work of a Bun server for a request. A POST shows the minimum cost of a request
 * with a body on this runtime: the body is read and parsed, with the native Ed25519 operations and the durable row that the request cannot
 * do without, and nothing else. The argument is a file for the rows. Runs until it is killed.
 */
import { generateKeyPairSync, sign, verify } from "node:crypto"
import { verifyAgentSignature } from "../../schemas/agent-id/signature-operations.ts"
import { acceptBeaconEvent } from "../../schemas/agent-mode/beacon-operations.ts"
import { planningOperations } from "../../schemas/agent-mode/planning-operations.ts"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"
import { openRawRows } from "./raw-rows.ts"

const [file = ""] = process.argv.slice(2)
const rows = openRawRows(file)
const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const message = Buffer.alloc(3000, "m")
const signature = sign(null, message, privateKey)
/** As long as a plan of the benchmark. */
const plan = "p".repeat(5100)

const works: Readonly<Record<string, () => Response | Promise<Response>>> = {
  [verifyAgentSignature.path]: () => verified(1),
  [PAYMENT_DECISION_PATH]: () => verified(2),
  [planningOperations.preflight.path]: () =>
    new Response(plan + sign(null, Buffer.from(plan), privateKey).toString("hex")),
  [acceptBeaconEvent.path]: async () => {
    const response = verified(1)
    await rows.insert()
    return response
  },
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  fetch: (request) => (request.method === "POST" ? posted(request) : new Response("hello")),
})
console.log(`listening http://127.0.0.1:${server.port}`)

async function posted(request: Request): Promise<Response> {
  await request.json()
  const { url } = request
  const work = works[url.slice(url.indexOf("/", "http://".length))]
  return work ? work() : new Response("hello")
}

function verified(times: number): Response {
  let valid = true
  for (let n = 0; n < times; n++) valid &&= verify(null, message, publicKey, signature)
  return new Response("hello", { status: valid ? 200 : 500 })
}
