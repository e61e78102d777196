/** A way to the server through which a test sees each piece that travels, and can hold it back or cut the connection, as a network does. */
import { connect, createServer, type Socket } from "node:net"

export interface Piece {
  readonly from: "STORE" | "SERVER"
  /** Bytes as Latin-1: texts of statements and tags of answers are readable. */
  readonly text: string
  /** Ends both sides of this connection at once. */
  cut(): void
  /** What the store sent on this connection so far. */
  readonly sentBefore: string
}

/** `LOSE`: the piece does not arrive, and the connection stays. */
export type Verdict = "PASS" | "LOSE"

export interface DatabaseProxy {
  readonly url: string
  /** Connections so far. */
  readonly links: number
  /** Looks at every piece from now on. */
  judge(verdict: (piece: Piece) => Verdict): void
  /** Cuts the connection of each piece that `isCut` is true for. The piece does not arrive. */
  cutAt(isCut: (piece: Piece) => boolean): void
  close(): void
}

/** `url`: of the server. */
export async function databaseProxy(url: string): Promise<DatabaseProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let verdict: (piece: Piece) => Verdict = () => "PASS"
  let links = 0
  const server = createServer((store) => {
    links++
    const database = connect(Number(target.port), target.hostname)
    let sentBefore = ""
    const cut = () => {
      store.destroy()
      database.destroy()
    }
    for (const [from, source, sink] of [
      ["STORE", store, database],
      ["SERVER", database, store],
    ] as const) {
      sockets.add(source)
      source.setNoDelay(true)
      source.on("data", (bytes) => {
        const text = bytes.toString("latin1")
        if (from === "STORE") sentBefore += text
        if (verdict({ from, text, cut, sentBefore }) === "PASS" && !sink.destroyed) sink.write(bytes)
      })
      source.on("close", () => {
        sockets.delete(source)
        sink.destroy()
      })
      source.on("error", () => {})
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the proxy has no port")
  const own = new URL(url)
  own.port = String(address.port)
  return {
    url: own.href,
    get links() {
      return links
    },
    judge: (given) => {
      verdict = given
    },
    cutAt: (isCut) => {
      verdict = (piece) => {
        if (!isCut(piece)) return "PASS"
        piece.cut()
        return "LOSE"
      }
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
