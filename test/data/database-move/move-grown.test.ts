/** A move of a database with many sales has every row, within bounded memory. `BIZAUTH_LONG=1` takes a hundred thousand sales. */
import { expect } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { freshDirectory } from "../../fixtures/directories.ts"
import { filledDirectory } from "../../fixtures/filled-directory.ts"
import { atLength, howMany } from "../../fixtures/long.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { databaseAt } from "../../fixtures/test-database.ts"
import { emptyServer } from "./move-bench.ts"
import type { GrownMove } from "./move-grown-process.ts"

const test = slowTests(import.meta.path)

const ANSWERS = atLength(1_500, 100_000)
const OTHERS = atLength(200, 3_000)
/** The driver keeps what a statement sent until its memory is collected. */
const MEMORY_MAX = 500 * 1024 * 1024
const LARGE_BYTES = 5_000_000

test.skipIf(!HAS_POSTGRES)(
  `${howMany(100_000, ANSWERS)} sales move to a server and back with equal digests${NOT_RUN}`,
  async () => {
    using root = freshDirectory()
    const paths = await filledDirectory(root.path, ANSWERS, OTHERS)
    const database = databaseAt(paths.database)
    // Rows that are larger than a batch.
    await database.write(
      `INSERT INTO register_answer (source_url, status, body, raw_sha256, retrieved_at)
         SELECT 'https://large.example/' || value, 200, randomblob(${LARGE_BYTES}), 'x', 'x' FROM json_each('[1,2,3,4,5,6]')`,
    )
    await database.close()
    const server = await emptyServer(root.path)
    try {
      const program = join(import.meta.dir, "move-grown-process.ts")
      const words = [process.execPath, program, paths.directory, server.file]
      // Memory is given back as in the shipped program: the check keeps it, for the speed of short tests.
      const { MIMALLOC_PURGE_DELAY: _, ...env } = process.env
      const child = Bun.spawn(words, { env, stdout: "pipe", stderr: "inherit" })
      const { there, back, growth }: GrownMove = await new Response(child.stdout).json()
      expect(await child.exited).toBe(0)
      expect(back).toEqual(there)
      const rows = back.reduce((sum, one) => sum + one.rows, 0)
      expect(rows).toBeGreaterThan(15 * ANSWERS)
      expect(back.find(({ table }) => table === "delivery")?.rows).toBeGreaterThan(0.9 * ANSWERS)
      expect(growth).toBeLessThan(MEMORY_MAX)
      expect(existsSync(join(paths.directory, "bizauth.db.moving"))).toBe(false)
    } finally {
      await server.drop()
    }
  },
  atLength(120_000, 1_800_000),
)
