import { recordingAdapter, type Sent } from '../../../../test/support/recording-adapter.js'
import { inspectorPageFiles } from './page-files.js'
import { InspectorPage } from './page.controller.js'
import { Responder } from './responder.js'

function request(url: string, known = ''): Sent {
  const mount = { path: 'admin/inspector', guards: [], imports: [] }
  const page = new InspectorPage(new Responder(recordingAdapter()), mount)
  const response: Sent = { headers: {} }
  const headers = known === '' ? {} : { 'if-none-match': known }
  page.file({ method: 'GET', headers, url } as Parameters<InspectorPage['file']>[0], response)
  return response
}

describe('a file of the page', () => {
  it.each([
    ['main.js', 'text/javascript; charset=utf-8'],
    ['uPlot.min.css', 'text/css; charset=utf-8'],
    ['icon.svg', 'image/svg+xml; charset=utf-8'],
  ])('%s has the type %s, and is checked again', (name, type) => {
    const { body, headers, status } = request(`/admin/inspector/assets/${name}`)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, type, 'no-cache'])
    expect(body).toBe(inspectorPageFiles.get(name)!.text)
    expect(headers.etag).toMatch(/^"[\w-]{43}"$/)
  })

  it('is not sent again to a browser that has it', () => {
    const url = '/admin/inspector/assets/main.js'
    const { etag } = request(url).headers
    const known = request(url, `W/"other", ${etag}`)
    expect([known.status, known.body, known.headers.etag]).toEqual([304, '', etag])
    expect(request(url, '"other"')).toMatchObject({
      status: 200,
      body: expect.stringMatching(/./),
    })
  })

  it('has a tag of its own', () => {
    const tags = [...inspectorPageFiles.values()].map(({ etag }) => etag)
    expect(new Set(tags).size).toBe(inspectorPageFiles.size)
  })
})
