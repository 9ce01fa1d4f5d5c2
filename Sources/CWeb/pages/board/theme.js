// Before anything is painted: the theme that the person chose.
document.documentElement.dataset.theme = localStorage.getItem("kanbase.theme") ?? "";
