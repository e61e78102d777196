/** Single settings of a configuration file change, and every other line stays. */
import { describe, expect, test } from "bun:test"
import { commentedFile, SETTING_NAMES } from "../../src/base/config.ts"
import { settings } from "../../src/base/settings.ts"
import { withSettings } from "../../src/data/configuration-file.ts"

const moved = (text: string, to: string | null) => withSettings(text, { database_file: to })

describe("one setting", () => {
  test("changes alone, and back", () => {
    for (const text of [
      commentedFile({ base_url: "https://a.example" }),
      'port = 1\n# database_file = ""\n[other]\nx = 1\n',
    ]) {
      const changed = moved(text, '/etc/a "quoted" file')
      expect(Bun.TOML.parse(changed)).toEqual({ ...Bun.TOML.parse(text), database_file: '/etc/a "quoted" file' })
      expect(moved(changed, null)).toBe(text)
    }
    expect(moved("[other]\nx = 1\n", "/a")).toBe('database_file = "/a"\n[other]\nx = 1\n')
    expect(moved("", null)).toBe("")
    const inTable = '[other]\nx = 1\n# database_file = ""\n'
    expect(moved(inTable, "/a")).toBe(`database_file = "/a"\n${inTable}`)
  })

  test("keeps the comment behind its value and the line above it", () => {
    for (const [text, changed] of [
      ['# ours\nlog_level = "info"  # for now\n', '# ours\nlog_level = "debug"  # for now\n'],
      ["log_level = 'a # b'\t# c\n", 'log_level = "debug"\t# c\n'],
      ["log_level = 5 # a number\n", 'log_level = "debug" # a number\n'],
      ['log_level = "info"', 'log_level = "debug"'],
    ] as const) {
      expect(withSettings(text, { log_level: "debug" })).toBe(changed)
    }
  })

  test("in another form is refused", () => {
    for (const text of ['"database_file" = "/a"\n', 'database_file = """\n/a"""\n', 'database_file = ["/a"\n]\n']) {
      expect(() => moved(text, "/b")).toThrow("write it on one line")
    }
  })
})

test("every setting is written into the file of init and taken out again", () => {
  const text = commentedFile()
  for (const name of SETTING_NAMES) {
    const changed = withSettings(text, { [name]: 'x # "y"' })
    expect([name, Bun.TOML.parse(changed)]).toEqual([name, { [name]: 'x # "y"' }])
    expect(withSettings(changed, { [name]: null })).toBe(text)
  }
  const all = Object.fromEntries(SETTING_NAMES.map((name) => [name, settings[name].default]))
  expect(Bun.TOML.parse(withSettings(text, all))).toEqual(all)
})
