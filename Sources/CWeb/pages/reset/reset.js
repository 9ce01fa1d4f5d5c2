// The page behind the links of mails and invitations. The code is in the fragment of the address, which a browser
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
    open: "Open the board", failed: "That did not work: ", unreachable: "The server cannot be reached.",
    problems: {
      code_invalid: "This code is wrong, used or too old. Ask for a new mail.", mail_off: "This server sends no mail. Ask who runs it.",
      unauthorized: "E-mail or password is wrong.", email_taken: "There is an account with this address.",
      invitation_required: "This invitation is wrong, too old, or for another address.", invitation_used: "This invitation was used.",
      signup_closed: "Nobody can sign up on this server. Ask who runs it.", account_locked: "The account is locked. Ask for a new password to open it.",
      account_disabled: "The account is disabled. Ask who runs the server.", too_many_requests: "Too many tries. Please wait a while.",
    },
  },
  ko: {
    email: "이메일 주소", password: "비밀번호", newPassword: "새 비밀번호 (8자 이상)",
    request: ["비밀번호를 잊으셨나요?", "이메일 주소를 입력하면, 계정이 있는 경우 링크가 담긴 메일을 보냅니다.", "메일 보내기", "이 주소의 계정이 있으면 메일을 보냈습니다."],
    password_reset: ["새 비밀번호", "다른 기기에서는 로그아웃됩니다.", "비밀번호 설정", "비밀번호를 바꿨습니다. 새 비밀번호로 로그인하세요."],
    email_verification: ["이메일 주소 확인", "확인하려면 다시 한 번 로그인하세요.", "확인", "이메일 주소를 확인했습니다."],
    account_lock: ["계정 잠그기", "모든 기기에서 로그아웃되고, 메일로 비밀번호를 재설정해야만 다시 열립니다.", "계정 잠그기", "계정을 잠갔습니다. 다시 열려면 비밀번호를 재설정하세요."],
    invitation: ["초대를 받으셨습니다", "계정에 쓸 이메일 주소와 비밀번호를 정하세요.", "계정 만들기", "계정을 만들었습니다. 로그인하세요."],
    open: "보드 열기", failed: "실패했습니다: ", unreachable: "서버에 연결할 수 없습니다.",
    problems: {
      code_invalid: "코드가 잘못되었거나, 이미 사용했거나, 만료되었습니다. 메일을 다시 요청하세요.", mail_off: "이 서버는 메일을 보내지 않습니다. 운영자에게 문의하세요.",
      unauthorized: "이메일 또는 비밀번호가 올바르지 않습니다.", email_taken: "이 주소의 계정이 이미 있습니다.",
      invitation_required: "초대가 잘못되었거나, 만료되었거나, 다른 주소의 초대입니다.", invitation_used: "이미 사용한 초대입니다.",
      signup_closed: "이 서버에서는 가입할 수 없습니다. 운영자에게 문의하세요.", account_locked: "잠긴 계정입니다. 다시 열려면 비밀번호를 재설정하세요.",
      account_disabled: "사용이 중지된 계정입니다. 운영자에게 문의하세요.", too_many_requests: "시도가 너무 많습니다. 잠시 후 다시 시도하세요.",
    },
  },
  ja: {
    email: "メールアドレス", password: "パスワード", newPassword: "新しいパスワード（8 文字以上）",
    request: ["パスワードをお忘れですか", "アドレスを入力すると、アカウントがあればリンクをメールで送ります。", "メールを送る", "このアドレスのアカウントがあれば、メールを送りました。"],
    password_reset: ["新しいパスワード", "ほかの端末はログアウトされます。", "パスワードを設定", "パスワードを設定しました。新しいパスワードでログインしてください。"],
    email_verification: ["メールアドレスの確認", "確認のため、もう一度ログインしてください。", "確認する", "アドレスを確認しました。"],
    account_lock: ["アカウントをロック", "すべての端末がログアウトされ、メールでパスワードを再設定するまで使えません。", "ロックする", "アカウントをロックしました。使うにはパスワードを再設定してください。"],
    invitation: ["招待されています", "アカウントのアドレスとパスワードを決めてください。", "アカウントを作る", "アカウントを作りました。ログインしてください。"],
    open: "ボードを開く", failed: "できませんでした: ", unreachable: "サーバーに接続できません。",
    problems: {
      code_invalid: "コードが間違っているか、使用済みか、期限切れです。もう一度メールを送ってください。", mail_off: "このサーバーはメールを送りません。管理者にお問い合わせください。",
      unauthorized: "メールアドレスまたはパスワードが違います。", email_taken: "このアドレスのアカウントは既にあります。",
      invitation_required: "招待が間違っているか、期限切れか、別のアドレス宛てです。", invitation_used: "この招待は使用済みです。",
      signup_closed: "このサーバーでは登録できません。管理者にお問い合わせください。", account_locked: "アカウントはロックされています。使うにはパスワードを再設定してください。",
      account_disabled: "アカウントは停止されています。管理者にお問い合わせください。", too_many_requests: "試行回数が多すぎます。しばらくお待ちください。",
    },
  },
};

const language = navigator.languages.map((name) => name.slice(0, 2)).find((name) => Object.hasOwn(texts, name)) ?? "en";
const words = texts[language];
const [name, code] = location.hash.slice(1).split("=");
const allNeeds = {
  request: ["email"], password_reset: ["password"], email_verification: ["email", "password"], account_lock: [],
  invitation: ["email", "password"],
};
// The name comes from outside: `constructor` is in every object.
const kind = code && Object.hasOwn(allNeeds, name) ? name : "request";
history.replaceState(null, "", location.pathname);
// Another link, opened in this window, changes only the fragment.
addEventListener("hashchange", () => location.reload());

const element = (id) => document.getElementById(id);
const needs = allNeeds[kind];

async function call(method, path, body, token) {
  const headers = {"Content-Type": "application/json"};
  if (token) headers.Authorization = `Bearer ${token}`;
  let answer;
  try {
    answer = await fetch(path, {method, headers, body: body && JSON.stringify(body)});
  } catch {
    throw new Error(words.unreachable);
  }
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error((Object.hasOwn(words.problems, json.code) && words.problems[json.code]) || words.failed + (json.errors?.[0]?.detail ?? json.detail ?? answer.status));
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
      // Whether the address is confirmed does not depend on it.
      await call("DELETE", "/sessions/current", undefined, token).catch(() => {});
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
element("open").firstChild.textContent = words.open;
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
  element("status").textContent = "";
  try {
    await run();
    element("form").hidden = true;
    element("status").textContent = success;
    element("open").hidden = ["request", "account_lock"].includes(kind);
    element("status").focus();
  } catch (error) {
    element("status").textContent = error.message;
    element("send").disabled = false;
  }
});
