/** Responses that several operations have stand once, under a name of their description and status. */

interface ResponseObject {
  readonly description?: string
  readonly $ref?: string
}
type Operations = readonly { readonly responses: Readonly<Record<string, ResponseObject>> }[]

export interface SharedResponses {
  /** Maps a response to what stands in its place. */
  place(status: string, response: ResponseObject): ResponseObject
  readonly components: Readonly<Record<string, ResponseObject>>
}

export function sharedResponses(operations: Operations): SharedResponses {
  const uses = new Map<string, number>()
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      const key = keyOf(status, response)
      uses.set(key, (uses.get(key) ?? 0) + 1)
    }
  }
  const names = new Map<string, string>()
  const components: Record<string, ResponseObject> = {}
  return {
    place(status, response) {
      const key = keyOf(status, response)
      if (response.$ref !== undefined || uses.get(key) === 1) return response
      let name = names.get(key)
      if (name === undefined) {
        const wanted = nameOf(status, response)
        name = wanted
        for (let serial = 2; name in components; serial++) name = `${wanted}_${serial}`
        names.set(key, name)
        components[name] = response
      }
      return { $ref: `#/components/responses/${name}` }
    },
    components,
  }
}

function keyOf(status: string, response: ResponseObject): string {
  return `${status} ${JSON.stringify(response)}`
}

/** The first three words of the description, and the status. */
function nameOf(status: string, { description = "" }: ResponseObject): string {
  const words = description.match(/[A-Za-z0-9]+/g) ?? []
  const start = words.slice(0, 3).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
  return `${start.join("")}_${status}`
}
