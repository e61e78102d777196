import { COMMIT, VERSION } from "../base/build-facts.ts"
import { EXIT, EXIT_MEANING } from "../base/exit.ts"
import { allFlags, type Command, exampleOf } from "./command.ts"
import { GROUPS } from "./groups.ts"
import { exitNote, usageOf } from "./help.ts"

export const command: Command = {
  name: "man",
  summary: "print the manual page: bizauth man > /usr/local/share/man/man1/bizauth.1",
  operands: "",
  flags: {},
  examples: ["man"],
  async run(input) {
    const page = manualPage(await input.everyCommand())
    input.result({ page }, page)
    return EXIT.DONE
  },
}

/** A page for man(7), from the command table alone. Settings are listed once, because every command that takes them takes all. */
export function manualPage(all: readonly Command[]): string {
  const settings = new Map(
    all.flatMap((one) => Object.entries(allFlags(one)).filter(([, flag]) => flag.isSetting === true)),
  )
  const lines = [
    `.TH BIZAUTH 1 "" "bizauth ${escaped(VERSION)} (${escaped(COMMIT)})" "User Commands"`,
    // Long names would leave holes in justified lines.
    ".ad l",
    ".SH NAME",
    "bizauth \\- verifiable authorization decisions for payments made by agents",
    ".SH SYNOPSIS",
    ".B bizauth",
    ".I COMMAND",
    "[flags]",
    ".SH COMMANDS",
    ...all.flatMap((one) => [
      ".TP",
      `.B ${escaped(usageOf(one))}`,
      escaped(one.summary),
      ...flagsOf(one),
      ...examplesOf(one),
    ]),
    ".SH GROUPS",
    ...Object.entries(GROUPS).flatMap(([name, what]) => [".TP", `.B ${escaped(name)}`, escaped(what)]),
    ".SH SETTINGS",
    "Commands that serve or open a data directory take each setting as a flag, as a variable with the prefix BIZAUTH_, and as a key of",
    "bizauth.toml.",
    ...[...settings].flatMap(([name, { help }]) => [".TP", `.B \\-\\-${escaped(name)} VALUE`, escaped(help)]),
    ".SH EXIT STATUS",
    ...Object.entries(EXIT_MEANING).flatMap(([code, meaning]) => [".TP", `.B ${code}`, escaped(meaning)]),
  ]
  return `${lines.join("\n")}\n`
}

function flagsOf(one: Command): readonly string[] {
  const own = Object.entries(allFlags(one)).filter(([, flag]) => !flag.isSetting)
  return own.flatMap(([name, { value, help, required }]) => {
    const mark = required === true ? " Required." : required === undefined ? "" : ` Required ${required}.`
    return [
      ".RS",
      ".TP",
      `.B \\-\\-${escaped(name)}${value ? ` ${escaped(value)}` : ""}`,
      `${escaped(help)}.${escaped(mark)}`,
      ".RE",
    ]
  })
}

/** Not filled, so that a copied line is the whole line. */
function examplesOf(one: Command): readonly string[] {
  return one.examples
    .map(exampleOf)
    .flatMap(({ line, exit }) => [
      ...[".RS", ".TP", "Example", ".nf", `.B bizauth ${escaped(line)}`, ".fi"],
      ...(exit === EXIT.DONE ? [] : [escaped(exitNote(exit))]),
      ".RE",
    ])
}

/** A backslash, a hyphen and quotes have a meaning for roff, and so has a dot at the beginning of a line. Other characters go by number. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("'", "\\(aq")
    .replaceAll('"', "\\(dq")
    .replace(/^\./, "\\&.")
    .replace(
      /[^\x20-\x7e]/gu,
      (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
    )
}
