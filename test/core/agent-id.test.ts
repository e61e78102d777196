import { expect, test } from "bun:test"
import { hash, randomBytes } from "node:crypto"
import { agentIdOf, commitmentTo, keyIdCommittedBy } from "../../src/core/agent-id.ts"
import { encodeBase64url } from "../../src/core/base64url.ts"
import { digestOf } from "../../src/core/digest.ts"
import { keyIdOf, publicJwk } from "../../src/core/jwk.ts"

test("an agent id is the first 24 bytes of the inception digest, base64url", () => {
  for (let i = 0; i < 500; i++) {
    const digest = hash("sha256", randomBytes(8), "hex")
    const expected = Buffer.from(digest, "hex").subarray(0, 24).toString("base64url")
    expect(agentIdOf(`sha256:${digest}`)).toBe(`svc:agent:${expected}`)
  }
})

test("the key commitment is the digest of the key's JWK; each of commitment and key id gives the other", () => {
  for (let i = 0; i < 500; i++) {
    const x = encodeBase64url(new Uint8Array(randomBytes(32)))
    expect(commitmentTo(keyIdOf(x))).toBe(digestOf(publicJwk(x)))
    expect(keyIdCommittedBy(digestOf(publicJwk(x)))).toBe(keyIdOf(x))
  }
})
