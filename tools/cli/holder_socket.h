// DIR/serve.sock, the socket of the server that holds a directory: its address, and the way there.
//
// A directory whose path is too long for a socket's name is reached through a descriptor of it.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string>
#include <string_view>

#include "engine/error.h"

namespace plexus::tools {

inline constexpr std::string_view kSocketName = "serve.sock";

class HolderAddress {
 public:
  HolderAddress() = default;
  ~HolderAddress();
  HolderAddress(const HolderAddress&) = delete;
  HolderAddress& operator=(const HolderAddress&) = delete;

  // False: the directory cannot be opened.
  bool Make(const std::string& directory);
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name_); }
  static socklen_t size() { return sizeof(sockaddr_un); }
  const char* path() const { return name_.sun_path; }

 private:
  sockaddr_un name_ = {};
  int directory_ = -1;  // open as long as the address is used
};

// A connected descriptor. kNotFound: no server of this user is there; what a link of that name
// leads to is none.
Result<int> ConnectToHolder(const std::string& directory);

// Whether the other end is a process of the same user, or of the system's.
bool IsOfThisUser(int socket);

}  // namespace plexus::tools
