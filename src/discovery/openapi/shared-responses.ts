/** A response of several operations is printed once. Its name is short, because the document repeats it hundreds of times. */

interface ResponseObject {
  readonly description?: string
  readonly $ref?: string
}
type Operations = readonly { readonly responses: Readonly<Record<string, ResponseObject>> }[]

export interface SharedResponses {
  /** Returns the response itself, or a reference to the shared one. */
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
      if (response.description === undefined || uses.get(key) === 1) return response
      let name = names.get(key)
      if (name === undefined) {
        name = status
        for (let serial = 2; name in components; serial++) name = `${status}_${serial}`
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
