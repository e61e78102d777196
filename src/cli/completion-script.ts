/** Completion scripts for shells, printed from the command table. */
import { allFlags, type Command } from "./command.ts"

export const SHELLS = ["bash", "zsh", "fish"] as const
type ShellName = (typeof SHELLS)[number]

/** What a shell completes after `bizauth WORDS`. */
interface Place {
  /** Empty at the beginning of the line. */
  readonly words: string
  readonly next: readonly string[]
  readonly flags: readonly { readonly name: string; readonly help: string; readonly takesValue: boolean }[]
}

/** A place for each command and each beginning of a command's name. */
function placesOf(all: readonly Command[]): readonly Place[] {
  const next = new Map<string, Set<string>>([["", new Set(["help"])]])
  for (const { name } of all) {
    const words = name.split(" ")
    for (const [at, word] of words.entries()) {
      const before = words.slice(0, at).join(" ")
      next.set(before, (next.get(before) ?? new Set()).add(word))
    }
  }
  const byName = new Map(all.map((command) => [command.name, command]))
  return [...new Set([...next.keys(), ...byName.keys()])].map((words) => {
    const command = byName.get(words)
    return {
      words,
      next: [...(next.get(words) ?? [])],
      flags: Object.entries(command === undefined ? {} : allFlags(command)).map(([name, flag]) => ({
        name: `--${name}`,
        help: flag.help,
        takesValue: flag.value !== undefined,
      })),
    }
  })
}

export function completionScript(shell: ShellName, all: readonly Command[]): string {
  const places = placesOf(all)
  return { bash, zsh, fish }[shell](places)
}

/** Single quotes for bash, zsh and fish: no character inside has a meaning, and a quote itself is written apart. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * Shared by bash and zsh: finds the longest known beginning among the words typed so far. A word after a flag is its value, and files
 * complete there.
 */
function bash(places: readonly Place[]): string {
  const rows = places.map(
    ({ words, next, flags }) =>
      `    ${quoted(words)}) candidates=${quoted([...next, ...flags.map(({ name }) => name)].join(" "))} ;;`,
  )
  const taking = new Set(places.flatMap(({ flags }) => flags.filter((flag) => flag.takesValue).map(({ name }) => name)))
  return `# bash completion for bizauth: source <(bizauth completion bash)
_bizauth() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} place='' candidates='' word
  case "$previous" in
    ${[...taking].sort().join("|")}) COMPREPLY=(); compopt -o default; return ;;
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " $_bizauth_places " in
      *" \${place:+$place/}$word "*) place="\${place:+$place/}$word" ;;
      *) break ;;
    esac
  done
  case "\${place//\\// }" in
${rows.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || compopt -o default
}
_bizauth_places=${quoted(
    places
      .map(({ words }) => words.replaceAll(" ", "/"))
      .filter((words) => words !== "")
      .join(" "),
  )}
complete -F _bizauth bizauth
`
}

function zsh(places: readonly Place[]): string {
  const item = (name: string, help: string) => quoted(`${name.replaceAll(":", "\\:")}:${help.replaceAll(":", "\\:")}`)
  const rows = places.map(
    ({ words, next, flags }) =>
      `    ${quoted(words)}) candidates=(${[
        ...next.map((name) => item(name, "")),
        ...flags.map(({ name, help }) => item(name, help)),
      ].join(" ")}) ;;`,
  )
  const taking = new Set(places.flatMap(({ flags }) => flags.filter((flag) => flag.takesValue).map(({ name }) => name)))
  return `#compdef bizauth
# zsh completion for bizauth: bizauth completion zsh > "\${fpath[1]}/_bizauth"
_bizauth() {
  local place='' word
  local -a candidates known
  known=(${places
    .filter(({ words }) => words !== "")
    .map(({ words }) => quoted(words))
    .join(" ")})
  case "\${words[CURRENT-1]}" in
    ${[...taking].sort().join("|")}) _files; return ;;
  esac
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if (( \${known[(Ie)\${place:+$place }$word]} )); then place="\${place:+$place }$word"; else break; fi
  done
  case "$place" in
${rows.join("\n")}
  esac
  _describe 'bizauth' candidates || _files
}
compdef _bizauth bizauth
`
}

function fish(places: readonly Place[]): string {
  const rows = places.flatMap(({ words, next, flags }) => {
    const here = `-n ${quoted(`__bizauth_at ${quotedInside(words)}`)}`
    return [
      ...(next.length === 0 ? [] : [`complete -c bizauth ${here} -f -a ${quoted(next.join(" "))}`]),
      ...flags.map(
        ({ name, help, takesValue }) =>
          `complete -c bizauth ${here} -l ${name.slice(2)}${takesValue ? " -r" : ""} -d ${quoted(help)}`,
      ),
    ]
  })
  return `# fish completion for bizauth: bizauth completion fish | source
function __bizauth_at
  set -l typed (commandline -opc)
  set -e typed[1]
  set -l plain
  for word in $typed
    string match -q -- '-*' $word; and break
    set -a plain $word
  end
  test "$plain" = "$argv"; and return 0
  # Operands and flags follow the name of a command.
  set -l here "$argv "
  test -n "$argv"; and string match -q -- "$here*" "$plain "; and contains -- "$argv" $__bizauth_commands
end
set -g __bizauth_commands ${places
    .filter(({ flags }) => flags.length > 0)
    .map(({ words }) => quoted(words))
    .join(" ")}
${rows.join("\n")}
`
}

const quotedInside = (words: string) => `"${words}"`
