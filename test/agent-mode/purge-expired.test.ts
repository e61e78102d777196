/** The loop alone removes what has ended, at a pace that keeps up. */
import { expect, test } from "bun:test"
import { purgeExpired } from "../../src/agent-mode/purge-expired.ts"
import { formatInstant } from "../../src/core/time.ts"
import { exportedNames, importedNames, sourceFiles } from "../fixtures/imports.ts"
import { moneyStore } from "../store/money-store.ts"

const NOW = Date.parse("2026-11-21T10:00:00.000Z")

test("a round removes at most 6,400 rows of a table and says whether it left some", async () => {
  const store = await moneyStore()
  const fill = (count: number, expiresAt: string) =>
    store.write(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
       INSERT INTO used_nonce (scope, nonce, expires_at) SELECT ?2, i, ?2 FROM n`,
      count,
      expiresAt,
    )
  await fill(6_500, formatInstant(NOW - 1))
  await fill(3, formatInstant(NOW))
  await store.write(
    "INSERT INTO instance VALUES ('gone', 'host', 1, '1.0.0', '2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z')",
  )
  const round = () => purgeExpired({ store, now: () => NOW })
  expect(await round()).toEqual({ removed: 6_401, isBehind: true })
  expect(await round()).toEqual({ removed: 100, isBehind: false })
  expect(await round()).toEqual({ removed: 0, isBehind: false })
  expect(await store.count("used_nonce")).toBe(3)
  await store.close()
})

test("no unit that serves a request removes what others left: only the loop imports a purge", () => {
  const purges = sourceFiles("src/store").flatMap((path) =>
    exportedNames(path)
      .filter((name) => /^purge[A-Z]/.test(name) && name !== "purgeOf")
      .map((name) => `${path} ${name}`),
  )
  expect(purges.length).toBeGreaterThan(15)
  const importers = new Map(purges.map((purge) => [purge, new Set<string>()]))
  for (const path of sourceFiles("src"))
    for (const { to, name } of importedNames(path)) importers.get(`${to} ${name}`)?.add(path)
  const LOOP = "src/agent-mode/purge-expired.ts"
  // An import without a free place first removes entries that have ended.
  const WITHOUT_PLACE = "src/store/wallet/import-entry.ts"
  const others = [...importers].filter(([, by]) => [...by].some((path) => path !== LOOP))
  expect(others.map(([purge, by]) => [purge.split(" ")[1], [...by].filter((path) => path !== LOOP)])).toEqual([
    ["purgeWallet", [WITHOUT_PLACE]],
    ["purgeWalletEntries", [WITHOUT_PLACE]],
    ["purgeWalletRequests", [WITHOUT_PLACE]],
  ])
})
