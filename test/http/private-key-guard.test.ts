import { expect, test } from "bun:test"
import { mayHoldKey, requireNoPrivateKey } from "../../src/http/private-key-guard.ts"

const mayHold = (text: string) => mayHoldKey(new TextEncoder().encode(text))

test("a text that may hold a key is never left out, however its name is written", () => {
  const jwk = { kty: "OKP", d: "secret" }
  for (const text of [
    JSON.stringify({ deep: [{ key: jwk }] }),
    '{"\\u006bty":"OKP","d":"secret"}',
    '{"k\\u0074y":"OKP","d":"secret"}',
    '{ "kty" : "OKP", "d" : "secret" }',
  ]) {
    expect([text, mayHold(text)]).toEqual([text, true])
    expect(() => requireNoPrivateKey(JSON.parse(text))).toThrow()
  }
})

test("a text without that name is left out, also if it holds other names and escapes", () => {
  for (const text of ['{"d":"secret"}', '{"key":"kty ","note":"a\\nb"}', "[]"]) {
    expect([text, mayHold(text)]).toEqual([text, false])
    expect(() => requireNoPrivateKey(JSON.parse(text))).not.toThrow()
  }
})

test("the bytes of a part of a buffer are searched, and no others", () => {
  const whole = new TextEncoder().encode('"kty"{"a":1}"kty"')
  expect(mayHoldKey(whole.subarray(5, 12))).toBe(false)
  expect(mayHoldKey(whole.subarray(5))).toBe(true)
})
