// Reads `text/event-stream` (HTML standard, "Server-sent events"), as far as a wake-up needs it: the data of each event.

/** A longer line ends the stream: no event of the hub is as long. In characters. */
const LINE_MAX = 1024 * 1024

export class EventStreamReader {
  private readonly decoder = new TextDecoder()
  private rest = ""
  private data: string[] = []
  private sizeOfData = 0

  /** `onData`: called with the data of each event. */
  constructor(private readonly onData: (data: string) => void) {}

  /** Takes a chunk as it came. False: a line or an event is too long, and the stream must end. */
  take(chunk: Uint8Array): boolean {
    this.rest += this.decoder.decode(chunk, { stream: true })
    for (;;) {
      const end = this.rest.search(/[\r\n]/)
      if (end === -1) break
      // A line feed of the next chunk may belong to this carriage return.
      if (this.rest[end] === "\r" && end === this.rest.length - 1) break
      const isPair = this.rest[end] === "\r" && this.rest[end + 1] === "\n"
      this.takeLine(this.rest.slice(0, end))
      this.rest = this.rest.slice(end + (isPair ? 2 : 1))
    }
    return this.rest.length <= LINE_MAX && this.sizeOfData <= LINE_MAX
  }

  private takeLine(line: string): void {
    if (line === "") {
      if (this.data.length > 0) this.onData(this.data.join("\n"))
      this.data = []
      this.sizeOfData = 0
      return
    }
    const colon = line.indexOf(":")
    const field = colon === -1 ? line : line.slice(0, colon)
    if (field !== "data") return
    const value = colon === -1 ? "" : line.slice(colon + 1)
    this.data.push(value.startsWith(" ") ? value.slice(1) : value)
    this.sizeOfData += value.length
  }
}
