import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  Module,
} from '@nestjs/common'
import { platforms, useInspectedApplications } from './inspected-application.js'

const world = useInspectedApplications()
const api = '/inspector/api/v1'
@Injectable()
class Sessions {
  readonly admins = new Map([['s1', { id: 'ada' }]])
}

@Module({ providers: [Sessions], exports: [Sessions] })
class SessionModule {}

@Injectable()
class AdminGuard implements CanActivate {
  constructor(private readonly sessions: Sessions) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string>; user?: object }>()
    const user = this.sessions.admins.get(request.headers.session ?? '')
    if (!user) throw new ForbiddenException('administrators only')
    request.user = user
    return true
  }
}
const guarded = { guards: [AdminGuard], imports: [SessionModule] }

describe.each(platforms)('guards on %s', (platform) => {
  it('decide about the page, its files and the API', async () => {
    const app = await world.start({ platform, inspector: { ...guarded, actions: ['invalidate'] } })
    const paths = [
      '',
      '/',
      '/assets/uPlot.esm.js',
      '/nothing',
      '/api/v1/caches',
      '/api/v1/row?cache=GuestUser&id=a',
    ]
    for (const path of paths) {
      const refused = await app.get(`/inspector${path}`)
      expect([refused.status, refused.json.message]).toEqual([403, 'administrators only'])
      expect((await app.get(`/inspector${path}`, { session: 's1' })).status).not.toBe(403)
    }
    const action = `${api}/invalidate?cache=GuestUser&id=a`
    expect((await app.post(action)).json.message).toBe('administrators only')
    expect((await app.post(action, { 'x-model-cache-inspector': '1', session: 's1' })).status).toBe(200)
  })

  it('refuse pages of other origins, whatever CORS the application allows', async () => {
    const app = await world.start({
      platform,
      inspector: { actions: ['invalidate'] },
      configure: (nest) => nest.enableCors({ origin: true, credentials: true, allowedHeaders: '*' }),
    })
    const { host } = new URL(app.url)
    const get = async (headers: Record<string, string>) =>
      (await app.get(`${api}/row?cache=GuestUser&id=`, headers)).status
    const post = async (headers: Record<string, string>) => {
      const answer = await app.post(`${api}/invalidate?cache=GuestUser&id=a`, headers)
      return answer.json.error?.code ?? answer.status
    }
    const own = { 'x-model-cache-inspector': '1' }
    expect(await get({ 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(await get({ 'sec-fetch-site': 'none' })).toBe(200)
    expect(await get({ 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await get({ 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await get({ origin: `http://${host}` })).toBe(200)
    expect(await get({ origin: 'http://evil.example' })).toBe(403)
    expect(await get({ origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' })).toBe(403)
    expect(await get({ origin: 'null' })).toBe(403)
    expect(await get({ origin: `http://${host}.evil.example` })).toBe(403)
    expect(await get({ origin: `http://${host}`, 'sec-fetch-site': 'cross-site' })).toBe(403)

    expect(await post({ 'sec-fetch-site': 'same-origin' })).toBe('missing_header')
    expect(await post({ ...own, 'sec-fetch-site': 'none' })).toBe('forbidden_origin')
    expect(await post({ ...own, 'sec-fetch-site': 'cross-site' })).toBe('forbidden_origin')
    expect(await post({ ...own, origin: 'http://evil.example' })).toBe('forbidden_origin')
    expect(await post({ ...own, 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(await post({ ...own, origin: `http://${host}` })).toBe(200)
  })

  it('compare origins with the host that a trusted proxy names', async () => {
    const app = await world.start({ platform, trustsProxy: true })
    const headers = { origin: 'http://shop.example:81', 'x-forwarded-host': 'shop.example:81' }
    expect((await app.get(`${api}/row?cache=Other&id=a`, headers)).status).toBe(404)
    expect(
      (await app.get(`${api}/row?cache=Other&id=a`, { ...headers, origin: 'http://a.example' })).status,
    ).toBe(403)
  })
})
