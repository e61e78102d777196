/** Breaks at spaces. A longer word stays whole. */
export function wrapped(text: string, width: number, indent: string): string[] {
  const lines: string[] = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && indent.length + line.length + 1 + word.length > Math.max(width, 40)) {
      lines.push(indent + line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, indent + line]
}
