/**
 * What every ratio of the bench is taken to: the least a Bun server can do for a request. A POST shows the least that a signed
 * request can cost on this runtime: its body read and parsed, and two native Ed25519 verifications. Ends when it is killed.
 */
import { generateKeyPairSync, sign, verify } from "node:crypto"

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const message = Buffer.alloc(3000, "m")
const signature = sign(null, message, privateKey)

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  fetch: (request) => (request.method === "POST" ? verifiedTwice(request) : new Response("hello")),
})
console.log(`listening http://127.0.0.1:${server.port}`)

async function verifiedTwice(request: Request): Promise<Response> {
  await request.json()
  const valid = verify(null, message, publicKey, signature) && verify(null, message, publicKey, signature)
  return new Response("hello", { status: valid ? 200 : 500 })
}
