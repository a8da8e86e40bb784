import { stopTestServers } from './test-servers.ts'

export default stopTestServers
