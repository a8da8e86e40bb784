import { emptySnapshot, type RegisterSnapshot } from '../protocol/index.js'
import { mappedRegister } from './mapped-register.js'

const snapshot: RegisterSnapshot = { epoch: 'e', existence: 'x', mayFill: true, losses: 0 }
const register = {
  fingerprints: ['f'],
  joiningForMs: 7,
  losses: 3,
  read: async () => snapshot,
  readForLoaded: async () => emptySnapshot,
}

describe('a mapped register', () => {
  it('maps the snapshots of both reads', async () => {
    const mapped = mappedRegister(register, async (reading) => ({ ...(await reading), losses: 1 }))
    expect(await mapped.read()).toEqual({ ...snapshot, losses: 1 })
    expect(await mapped.readForLoaded()).toEqual({ ...emptySnapshot, losses: 1 })
  })

  it('has the fingerprints, the waiting time and the losses of the register', () => {
    const { fingerprints, joiningForMs, losses } = mappedRegister(register, (reading) => reading)
    expect({ fingerprints, joiningForMs, losses }).toEqual({
      fingerprints: ['f'],
      joiningForMs: 7,
      losses: 3,
    })
  })
})
