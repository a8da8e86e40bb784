const systemIsDark = matchMedia('(prefers-color-scheme: dark)')

const isDark = () => {
  const { theme } = document.documentElement.dataset
  return theme ? theme === 'dark' : systemIsDark.matches
}

/** Shows what a click would change to, and calls `changed` when the colours have. */
export function connectThemeButton(button, changed) {
  const show = () => {
    button.textContent = isDark() ? 'Light' : 'Dark'
    button.setAttribute('aria-label', `Change to ${isDark() ? 'light' : 'dark'} colours`)
    changed()
  }
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark'
    document.documentElement.dataset.theme = theme
    localStorage.setItem('theme', theme)
    show()
  })
  systemIsDark.addEventListener('change', show)
  show()
}
