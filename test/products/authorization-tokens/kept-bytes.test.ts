import { expect, test } from "bun:test"
import { newDatabase } from "../../fixtures/new-store.ts"
import { storedText } from "../../fixtures/stored-text.ts"
import { serverOver } from "./test-server.ts"

test("no token, binding or key is in the log or in what the database stores", async () => {
  const database = await newDatabase()
  const { store } = await database.open()
  const watched = serverOver(store)
  const tokens = [await watched.issue("watched"), await watched.issue("other", { kind: "VENDOR_CHANGE" })]
  for (const held of tokens) {
    for (const answer of [
      await watched.redeem(held, { binding: { ...held.binding, company_number: "99999999" } }),
      await watched.status(held),
      await watched.redeem(held, { purpose: held.token }),
      await watched.revoke(held),
      await watched.redeem(held),
    ]) {
      expect(await answer.text()).not.toContain(held.token.slice(7))
    }
  }
  const text = (await storedText(database)) + JSON.stringify(watched.logged)
  expect(text).toContain(tokens[0]?.tokenHash ?? "")
  for (const { token } of tokens) {
    expect(text).not.toContain(token.slice(7))
    expect(text).not.toContain(Buffer.from(token.slice(7), "base64url").toString("latin1"))
    expect(text).not.toContain(Buffer.from(token.slice(7), "base64url").toString("hex"))
  }
  expect(JSON.stringify(watched.logged)).not.toMatch(/01234567|99999999|sha256|0x0000|zq7/)
  await store.close()
  await database.close()
})
