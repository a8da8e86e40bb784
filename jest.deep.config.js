import config from './jest.config.js'

/** Every *.deep.spec.ts: what takes too long for each change. */
export default {
  ...config,
  testTimeout: 1_800_000,
  projects: config.projects.map((project) => ({
    ...project,
    testMatch: project.testMatch.map((pattern) => pattern.replace('!(*.deep)', '*.deep')),
  })),
}
