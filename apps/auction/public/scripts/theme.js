// Before anything is painted, and so not a module: the theme that was chosen last, if one was.
const chosenTheme = localStorage.getItem('theme')
if (chosenTheme) document.documentElement.dataset.theme = chosenTheme
