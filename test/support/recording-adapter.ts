import type { HttpAdapterHost } from '@nestjs/core'

/** What was sent as the response to a request. */
export interface Sent {
  readonly headers: Record<string, string>
  body?: string
  status?: number
}

/** An adapter of Nest whose responses are objects, which keep what is sent. The URL of a request is its `url`. */
export function recordingAdapter(): HttpAdapterHost {
  const httpAdapter = {
    setHeader: (response: Sent, name: string, value: string) => void (response.headers[name] = value),
    reply: (response: Sent, body: string, status: number) => void Object.assign(response, { body, status }),
    getRequestUrl: ({ url }: { readonly url: string }) => url,
  }
  return { httpAdapter } as unknown as HttpAdapterHost
}
