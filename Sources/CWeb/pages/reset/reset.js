// The page behind the links of mails and invitations. The code stands in the fragment of the address, which a browser
// sends to no server, and leaves the address as soon as it is read.
"use strict";

const texts = {
  en: {
    email: "E-mail address", password: "Password", newPassword: "New password (8 characters or more)",
    request: ["Forgotten password", "Type your address, and a mail with a link comes, if there is an account.", "Send the mail", "If there is an account with this address, a mail is on its way."],
    password_reset: ["New password", "Your other devices are logged out.", "Set the password", "The password is set. Log in with it."],
    email_verification: ["Confirm your address", "Log in once more to confirm it.", "Confirm", "The address is confirmed."],
    account_lock: ["Lock the account", "All devices are logged out. Only a password reset by mail opens the account again.", "Lock the account", "The account is locked. Ask for a new password to open it."],
    invitation: ["You are invited", "Choose an address and a password for your account.", "Make the account", "The account is made. Log in with it."],
    failed: "That did not work: ",
  },
  ko: {
    email: "이메일 주소", password: "비밀번호", newPassword: "새 비밀번호 (8자 이상)",
    request: ["비밀번호를 잊으셨나요?", "이메일 주소를 입력하면, 계정이 있는 경우 링크가 담긴 메일을 보냅니다.", "메일 보내기", "이 주소의 계정이 있으면 메일을 보냈습니다."],
    password_reset: ["새 비밀번호", "다른 기기에서는 로그아웃됩니다.", "비밀번호 설정", "비밀번호를 바꿨습니다. 새 비밀번호로 로그인하세요."],
    email_verification: ["이메일 주소 확인", "확인하려면 다시 한 번 로그인하세요.", "확인", "이메일 주소를 확인했습니다."],
    account_lock: ["계정 잠그기", "모든 기기에서 로그아웃되고, 메일로 비밀번호를 재설정해야만 다시 열립니다.", "계정 잠그기", "계정을 잠갔습니다. 다시 열려면 비밀번호를 재설정하세요."],
    invitation: ["초대를 받으셨습니다", "계정에 쓸 이메일 주소와 비밀번호를 정하세요.", "계정 만들기", "계정을 만들었습니다. 로그인하세요."],
    failed: "실패했습니다: ",
  },
  ja: {
    email: "メールアドレス", password: "パスワード", newPassword: "新しいパスワード（8 文字以上）",
    request: ["パスワードをお忘れですか", "アドレスを入力すると、アカウントがあればリンクをメールで送ります。", "メールを送る", "このアドレスのアカウントがあれば、メールを送りました。"],
    password_reset: ["新しいパスワード", "ほかの端末はログアウトされます。", "パスワードを設定", "パスワードを設定しました。新しいパスワードでログインしてください。"],
    email_verification: ["メールアドレスの確認", "確認のため、もう一度ログインしてください。", "確認する", "アドレスを確認しました。"],
    account_lock: ["アカウントをロック", "すべての端末がログアウトされ、メールでパスワードを再設定するまで使えません。", "ロックする", "アカウントをロックしました。使うにはパスワードを再設定してください。"],
    invitation: ["招待されています", "アカウントのアドレスとパスワードを決めてください。", "アカウントを作る", "アカウントを作りました。ログインしてください。"],
    failed: "できませんでした: ",
  },
};

const language = navigator.languages.map((name) => name.slice(0, 2)).find((name) => name in texts) ?? "en";
const words = texts[language];
const [name, code] = location.hash.slice(1).split("=");
const kind = code && name in words ? name : "request";
history.replaceState(null, "", location.pathname);

const element = (id) => document.getElementById(id);
const needs = {
  request: ["email"], password_reset: ["password"], email_verification: ["email", "password"], account_lock: [],
  invitation: ["email", "password"],
}[kind];

async function call(method, path, body, token) {
  const headers = {"Content-Type": "application/json"};
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(path, {method, headers, body: body && JSON.stringify(body)});
  const json = answer.status === 204 || answer.status === 202 ? {} : await answer.json();
  if (!answer.ok) throw new Error(json.detail ?? answer.status);
  return json;
}

async function run() {
  const email = element("email").value;
  const password = element("password").value;
  switch (kind) {
  case "request": return call("POST", "/password-resets", {email});
  case "password_reset": return call("POST", "/password-resets/complete", {code, newPassword: password});
  case "account_lock": return call("POST", "/account/lock", {code});
  case "invitation": return call("POST", "/accounts", {email, password, invitation: code});
  case "email_verification": {
    const {token} = await call("POST", "/sessions", {email, password});
    try {
      return await call("POST", "/account/email-verification", {code}, token);
    } finally {
      await call("DELETE", "/sessions/current", undefined, token);
    }
  }
  }
}

const [title, explanation, button, success] = words[kind];
document.documentElement.lang = language;
document.title = `${title} · Kanbase`;
element("title").textContent = title;
element("explanation").textContent = explanation;
element("email-label").textContent = words.email;
element("password-label").textContent = kind === "email_verification" ? words.password : words.newPassword;
element("send").textContent = button;
for (const field of ["email", "password"]) {
  element(field).closest("p").hidden = !needs.includes(field);
  element(field).required = needs.includes(field);
}
if (kind !== "email_verification") {
  element("password").minLength = 8;
  element("password").autocomplete = "new-password";
}
element("form").hidden = false;
element("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  element("send").disabled = true;
  try {
    await run();
    element("form").hidden = true;
    element("status").textContent = success;
  } catch (error) {
    element("status").textContent = words.failed + error.message;
    element("send").disabled = false;
  }
});
